import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { problems } from '../../src/http/problem.ts'
import { operationsOf } from '../../src/reference/document.ts'
import { openapi } from '../../src/reference/openapi.ts'
import { inBrowser, openPage, url } from './browser.ts'

const document = openapi()
const paths = ['/docs', '/docs/errors'] as const
/** Axe looks at five thousand elements. */
const LONG = { timeout: 180_000 }
const schemes = ['light', 'dark'] as const

/** How much wider the page is than its window. */
const overhang = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** The links of a page that lead to a place that is not there, on this page or on the other. */
async function deadLinks(page: Page, idsOf: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  const links: string[] = await page.evaluate('[...document.links].map((link) => link.href)')
  return links.filter((link) => {
    const { origin, pathname, hash } = new URL(link)
    if (origin !== url) return true
    if (hash === '') return ![...paths, '/dashboard', '/openapi.json'].includes(pathname)
    return !idsOf[pathname]?.includes(hash.slice(1))
  })
}

const ids = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")

describe.each(paths)('%s', (path) => {
  inBrowser.for(schemes)('has nothing that axe finds, and no complaint, in %s', LONG, async (colorScheme) => {
    const [page, complaints] = await openPage(path, { colorScheme })
    const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(complaints).toEqual([])
  })

  inBrowser('fits a phone: nothing lies beyond its side', async () => {
    const [page] = await openPage(path, { viewport: { width: 360, height: 740 } })
    expect(await overhang(page)).toBe(0)
  })

  inBrowser('has no link that leads nowhere', async () => {
    const idsOf: Record<string, string[]> = {}
    for (const one of paths) idsOf[one] = await ids((await openPage(one))[0])
    const [page] = await openPage(path)
    expect(await deadLinks(page, idsOf)).toEqual([])
    expect(idsOf[path]!.length).toBe(new Set(idsOf[path]).size)
  })

  inBrowser('is reached by keyboard: the first stop skips to its content', async () => {
    const [page] = await openPage(path)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
  })
})

inBrowser('/docs shows every operation, each with its calls', async () => {
  const [page] = await openPage('/docs')
  for (const { path, operation } of operationsOf(document)) {
    const section = page.locator('section.operation').filter({ has: page.locator(`#${operation.operationId}`) })
    expect(await section.locator('.route code').textContent()).toBe(path)
    expect(await section.locator('pre').count()).toBeGreaterThanOrEqual(operation['x-codeSamples'].length)
  }
})

inBrowser('the type of every problem leads to the place on the page that tells of its code', async () => {
  const [page] = await openPage('/docs/errors')
  const shown: string[] = []
  for (const code of Object.keys(problems)) {
    await page.goto(new URL(`/docs/errors#${code}`, url).href)
    shown.push((await page.locator(':target').textContent()) ?? '')
  }
  expect(shown).toEqual(Object.keys(problems))
})

inBrowser('a problem that the server answers names such a place', async () => {
  const [page] = await openPage('/docs')
  const answer = await fetch(new URL('/v1/streams/none', url))
  const { type } = (await answer.json()) as { type: string }
  await page.goto(new URL(type, url).href)
  expect(await page.locator(':target').textContent()).toBe('stream_not_found')
})
