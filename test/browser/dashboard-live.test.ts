import type { Page, Request } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inBrowser } from './browser.ts'
import { populate, ready, world } from './dashboard.ts'

/** Calls that a page makes of the API: how many are under way at once, and which there were. */
function watch(page: Page) {
  const calls: string[] = []
  const running = new Set<Request>()
  const seen = { calls, most: 0, running }
  page.on('request', (request) => {
    if (!request.url().includes('/v1/')) return
    calls.push(new URL(request.url()).pathname)
    running.add(request)
    seen.most = Math.max(seen.most, running.size)
  })
  page.on('requestfinished', (request) => running.delete(request))
  page.on('requestfailed', (request) => running.delete(request))
  return seen
}

const idle = (seen: ReturnType<typeof watch>) => expect.poll(() => seen.running.size).toBe(0)

describe('refreshing', () => {
  inBrowser('leaves focus, selection and what is being typed alone', async () => {
    const own = world()
    await populate(own)
    const [page] = await own.open('/dashboard/streams/orders')
    await ready(page)
    const search = page.getByLabel('Search')
    await search.fill('{"type": "placed"}')
    await page.evaluate('document.activeElement.setSelectionRange(2, 6)')
    const row = page.getByRole('table', { name: 'Recent events' }).locator('tbody tr')
    const before = await row.first().textContent()
    await own.advance(1_000)
    await own.rheo.append('orders', { type: 'new', key: 'new' })
    await expect.poll(() => row.first().textContent(), { timeout: 10_000 }).not.toBe(before)
    expect(await search.inputValue()).toBe('{"type": "placed"}')
    expect(
      await page.evaluate(
        '[document.activeElement.value, document.activeElement.selectionStart, document.activeElement.selectionEnd]',
      ),
    ).toEqual(['{"type": "placed"}', 2, 6])
  })

  inBrowser('stops while it is paused or the tab is hidden, and goes on afterwards', async () => {
    const own = world()
    await populate(own)
    const [page] = await own.open('about:blank')
    await page.clock.install()
    const seen = watch(page)
    await page.goto('/dashboard/streams/orders')
    await ready(page)
    const callsWithin = async (ms: number): Promise<number> => {
      await idle(seen)
      const before = seen.calls.length
      await page.clock.runFor(ms)
      await idle(seen)
      return seen.calls.length - before
    }
    expect(await callsWithin(2_000)).toBeGreaterThan(0)
    const pause = page.getByRole('button', { name: 'Pause' })
    await pause.click()
    expect(await pause.getAttribute('aria-pressed')).toBe('true')
    expect(await callsWithin(60_000)).toBe(0)
    await pause.click()
    expect(await callsWithin(2_000)).toBeGreaterThan(0)
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await hide(true)
    expect(await callsWithin(60_000)).toBe(0)
    await hide(false)
    expect(await callsWithin(2_000)).toBeGreaterThan(0)
  })

  inBrowser('of 200 groups reads those that are shown, few at a time, and says how old they are', async () => {
    const own = world()
    await own.rheo.streams.create('orders')
    const names = Array.from({ length: 200 }, (_, index) => `group-${String(index).padStart(3, '0')}`)
    for (let first = 0; first < names.length; first += 20) {
      await Promise.all(names.slice(first, first + 20).map((name) => own.rheo.groups.create('orders', name)))
    }
    await own.rheo.appendMany('orders', [{}, {}, {}])
    const [page, complaints] = await own.open('about:blank')
    await page.clock.install()
    const seen = watch(page)
    await page.goto('/dashboard/streams/orders')
    await ready(page)
    await page.getByText('1 to 20 of 200').waitFor()
    expect(await page.getByRole('table', { name: 'Groups' }).locator('tbody tr').count()).toBe(20)
    await page.getByText(/^200 groups; figures at most \d+ s old$/).waitFor()
    const groupCalls = () => seen.calls.filter((path) => path.includes('/groups/')).length
    for (let turn = 0; turn <= 3; turn++) {
      if (turn > 0) await page.clock.runFor(2_000)
      // They come in waves, between which none is under way; one too many would be seen in the next turn.
      await expect.poll(groupCalls, { timeout: 10_000 }).toBe(20 + turn * 10)
      await idle(seen)
    }
    expect(groupCalls()).toBe(50)
    expect(seen.most).toBeLessThanOrEqual(8)

    await page.getByRole('button', { name: 'Next' }).first().click()
    await page.getByRole('link', { name: 'group-020' }).waitFor()
    await page.locator('#group-filter').fill('199')
    await page.getByRole('link', { name: 'group-199' }).waitFor()
    await page.getByText(/^1 group; figures/).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('following', () => {
  inBrowser(
    'shows events as they are appended, those that a search asks for alone, and rests while paused',
    async () => {
      const own = world()
      await own.rheo.streams.create('orders', { partitionCount: 2 })
      const [page, complaints] = await own.open('/dashboard/streams/orders?where=%7B%22type%22%3A%22placed%22%7D')
      await page.getByText('Nothing matches.').waitFor()
      await page.getByRole('button', { name: 'Follow' }).click()
      await page.getByText('Waiting for events…').waitFor()
      const rows = page.getByRole('table', { name: 'Live events' }).locator('tbody tr')
      const append = (type: string, key: string) => own.rheo.append('orders', { type, key })
      await append('placed', 'first')
      await expect.poll(() => rows.count()).toBe(1)
      await append('paid', 'second')
      await append('placed', 'third')
      await expect.poll(() => rows.first().textContent()).toContain('third')
      expect(await rows.allTextContents()).not.toContainEqual(expect.stringContaining('second'))
      const pause = page.getByRole('button', { name: 'Pause' })
      await pause.click()
      await append('placed', 'fourth')
      await pause.click()
      await expect.poll(() => rows.first().textContent(), { timeout: 10_000 }).toContain('fourth')
      expect(complaints).toEqual([])
    },
  )
})

/** A stream that is being followed, and the rows of what has come. */
async function follow(own: ReturnType<typeof world>, meanwhile = async (_page: Page): Promise<unknown> => undefined) {
  await own.rheo.streams.create('orders')
  const [page, complaints] = await own.open('/dashboard/streams/orders')
  await ready(page)
  await meanwhile(page)
  await page.getByRole('button', { name: 'Follow' }).click()
  return { page, complaints, rows: page.getByRole('table', { name: 'Live events' }).locator('tbody tr') }
}

describe('what is followed', () => {
  inBrowser('loses nothing to a pause before its first event, and shows nothing twice', async () => {
    const own = world()
    const { page, complaints, rows } = await follow(own)
    await page.getByText('Waiting for events…').waitFor()
    const pause = page.getByRole('button', { name: 'Pause' })
    for (const key of ['first', 'second']) {
      await pause.click()
      if (key === 'first') await page.getByText('At rest.').waitFor()
      await own.rheo.append('orders', { key })
      await pause.click()
      await expect.poll(() => rows.first().textContent(), { timeout: 10_000 }).toContain(key)
    }
    expect(await rows.count()).toBe(2)
    expect(complaints).toEqual([])
  })

  inBrowser('begins when a server that was away is back, and what was said of that goes', async () => {
    const own = world()
    const { page, rows } = await follow(own, (page) => page.route('**/tail*', (route) => route.abort()))
    const alert = page.getByRole('alert').getByText('The server does not answer:')
    await alert.waitFor({ timeout: 20_000 })
    await page.unroute('**/tail*')
    await page.getByText('Waiting for events…').waitFor({ timeout: 20_000 })
    await alert.waitFor({ state: 'detached' })
    await own.rheo.append('orders', { key: 'first' })
    await expect.poll(() => rows.first().textContent()).toContain('first')
  })

  inBrowser('is said to be deleted, and is another stream, from its beginning, once it is made again', async () => {
    const own = world()
    const { page, rows } = await follow(own)
    await page.getByText('Waiting for events…').waitFor()
    await own.rheo.append('orders', { key: 'before' })
    await expect.poll(() => rows.count()).toBe(1)
    await own.rheo.streams.delete('orders', { confirm: true })
    await page.getByText('The stream has been deleted.').waitFor()
    await own.advance(1_000)
    await own.rheo.streams.create('orders')
    await own.rheo.append('orders', { key: 'again' })
    await expect.poll(() => rows.allTextContents(), { timeout: 20_000 }).toEqual([expect.stringContaining('again')])
    await page.getByRole('button', { name: 'Follow' }).click()
    const recent = page.getByRole('table', { name: 'Recent events' }).locator('tbody tr')
    await expect.poll(() => recent.allTextContents()).toEqual([expect.stringContaining('again')])
  })
})

describe('a server that is away', () => {
  inBrowser('is said to be, with the time of what is shown, and is found again when it is back', async () => {
    const own = world()
    await populate(own)
    const [page] = await own.open('/dashboard/streams/orders/groups/billing')
    await ready(page)
    await page.route('**/v1/**', (route) => route.abort())
    await page.getByText('The server does not answer.').waitFor()
    await page.getByText(/What you see is from \d\d:\d\d:\d\d\./).waitFor()
    expect(await page.locator('.stale .tile').count()).toBeGreaterThan(0)
    expect(await page.locator('.live').textContent()).toContain('Away')
    await page.unroute('**/v1/**')
    await page.getByText('The server does not answer.').waitFor({ state: 'detached', timeout: 20_000 })
    expect(await page.locator('.stale').count()).toBe(0)
  })

  inBrowser('from the beginning is waited for', async () => {
    const own = world()
    const [page] = await own.open('about:blank')
    await page.route('**/v1/**', (route) => route.abort())
    await page.goto('/dashboard')
    await page.getByText('The server does not answer:').waitFor()
    await page.unroute('**/v1/**')
    await page.getByText('There is no stream here yet').waitFor({ timeout: 20_000 })
  })
})
