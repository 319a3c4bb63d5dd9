import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { Rheo } from '../../src/client/index.ts'
import { openPage, url } from './browser.ts'

let tenants = 0

/** A tenant of its own with a clock of its own, for a test's calls and for the page that it opens. */
export function world() {
  const tenant = `t-${process.pid}-${Date.now()}-${++tenants}`
  let nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  const headers = () => ({ 'Rheo-Tenant': tenant, 'Rheo-Now': new Date(nowMs).toISOString() })
  const rheo = new Rheo({
    url,
    fetch: (address, init) => fetch(address, { ...init, headers: { ...init.headers, ...headers() } }),
  })
  const pages: Page[] = []
  const tell = async (page: Page): Promise<void> => {
    await page.context().setExtraHTTPHeaders(headers())
    await page.clock.setFixedTime(nowMs)
  }
  return {
    tenant,
    rheo,
    /** Opens a page of the dashboard whose calls and clock are this world's. */
    async open(path: string, options: BrowserContextOptions = {}): Promise<[Page, string[]]> {
      const [page, complaints] = await openPage('about:blank', { ...options, extraHTTPHeaders: headers() })
      await page.clock.setFixedTime(nowMs)
      pages.push(page)
      await page.goto(path)
      return [page, complaints]
    },
    async advance(ms: number): Promise<void> {
      nowMs += ms
      await Promise.all(pages.map(tell))
    },
  }
}

export type World = ReturnType<typeof world>

/** A stream in the middle of its work: done, leased, delayed, dead and untouched events, text of every kind in them. */
export async function populate({ rheo }: World, text = 'the bank is closed'): Promise<void> {
  const group = { stream: 'orders', group: 'billing' }
  await rheo.streams.create('orders', { partitionCount: 2 })
  await rheo.groups.create('orders', 'billing', { maxAttempts: 3, backoff: { baseMs: 60_000 } })
  await rheo.groups.create('orders', 'later', { paused: true })
  const lineage = { correlation_id: 'A-1', causation_id: 'first' }
  const events = Array.from({ length: 24 }, (_, index) => ({
    type: text,
    key: `${text} ${index}`,
    payload: { [text]: text, total: index },
    metadata: { ...lineage, note: text },
    ...(index === 0 ? { id: 'first' } : {}),
  }))
  await rheo.appendMany('orders', events)
  const { leases } = await rheo.fetch('orders', 'billing', { limit: 12, consumerId: text.slice(0, 100) })
  await rheo.ackMany(group, leases.slice(1, 4))
  await rheo.nackMany(group, leases.slice(4, 6), { reason: text })
  await rheo.rejectMany(group, leases.slice(6, 9), { reason: text })
}

/** Every page that there is, by its address, for a populated world. */
export const everyPage = [
  '/dashboard',
  '/dashboard/streams/orders',
  '/dashboard/streams/orders?where=%7B%22total%22%3A%7B%22gte%22%3A3%7D%7D',
  '/dashboard/streams/orders/events/first',
  '/dashboard/streams/orders/groups/billing',
  '/dashboard/streams/orders/groups/billing/dead-letters',
] as const

/** Waits until nothing on the page is still being read. */
export async function ready(page: Page): Promise<void> {
  await page.locator('#dashboard h1').waitFor()
  await expect.poll(() => page.locator('.pending').count()).toBe(0)
  await expect.poll(() => page.getByText('…', { exact: true }).count()).toBe(0)
}

/** What axe finds against the rules of WCAG 2.2 AA and its own advice. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}

/** How far a page can be scrolled sideways, in pixels. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
