import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { inBrowser } from './browser.ts'
import { type World, world } from './dashboard.ts'

/** The figure of a tile, until it is what it should be. */
const tile = (page: Page, name: string) =>
  expect.poll(() => page.locator(`.tile:has(dt:text-is("${name}")) .figure`).textContent(), { timeout: 10_000 })

/** The cells of a row, until they are what they should be. */
const cells = (row: Locator) => expect.poll(() => row.locator('th, td').allTextContents(), { timeout: 10_000 })

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

async function append(page: Page, payload: string): Promise<void> {
  await page.getByRole('button', { name: 'Append event…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type').fill('placed')
  await dialog.getByLabel('Payload').fill(payload)
  await dialog.getByRole('button', { name: 'Append', exact: true }).click()
  await dialog.getByText(/^Appended as sequence/).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

const fetchAs = async ({ rheo }: World, consumerId: string) =>
  (await rheo.fetch('orders', 'billing', { limit: 10, leaseMs: 30_000, consumerId })).leases

inBrowser(
  'an operator sees lag rise, a hole named, a dead letter redriven, lag fall, and a replay through',
  async () => {
    const own = world()
    const { rheo } = own
    const [page, complaints] = await own.open('/dashboard')

    await page.getByText('There is no stream here yet').waitFor()
    await page.getByRole('button', { name: 'Create stream…' }).click()
    await page.getByLabel('Name').fill('orders')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await heading(page, 'orders')

    await page.getByRole('button', { name: 'Create group…' }).click()
    await page.getByLabel('Name').fill('billing')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await heading(page, 'billing')
    await tile(page, 'Lag').toBe('0')
    await page.getByText('Nothing is open: every').waitFor()

    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'orders' }).click()
    await heading(page, 'orders')
    await append(page, '{"order": "A-1"}')
    await append(page, '{"order": "A-2"}')
    await page.getByRole('link', { name: 'billing' }).click()
    await tile(page, 'Lag').toBe('2')

    const [first, second] = await fetchAs(own, 'worker-1')
    await rheo.ack(second!)
    await own.advance(5_000)
    const hole = page.getByRole('table', { name: 'What holds each frontier' }).getByRole('row').nth(1)
    await cells(hole).toEqual(['0', '0 of 2', '1', 'leased', '1', 'worker-1', 'in 25 s', '–'])
    await tile(page, 'In flight').toBe('1')
    await page.getByRole('img', { name: 'Partition 0: frontier 0 of 2, waits for 1, leased' }).waitFor()

    await rheo.reject(first!, { reason: 'no such order' })
    await tile(page, 'Dead letters').toBe('1')
    await tile(page, 'Lag').toBe('0')
    await page.locator('.tile').getByRole('link', { name: '1', exact: true }).click()
    await heading(page, 'Dead letters of billing')
    const letter = page.getByRole('row').nth(1)
    await cells(letter).toEqual([
      ' 0/1',
      'no such order',
      'rejected',
      '1',
      'worker-1',
      '2026-03-15 12:00:05.000',
      'placed',
      '{"order":"A-1"}',
    ])
    await letter.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Redrive chosen (1)' }).click()
    await page.getByText('Redrove 1 dead letter: they are available again.').waitFor()
    await page.getByText('There is no dead letter').waitFor()
    await page.getByRole('link', { name: 'Back to billing' }).click()
    await tile(page, 'Lag').toBe('2')
    await tile(page, 'Available').toBe('1')

    for (const lease of await fetchAs(own, 'worker-2')) await rheo.ack(lease)
    await tile(page, 'Lag').toBe('0')

    await page.getByRole('button', { name: 'Replay…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Dry run' }).click()
    await cells(dialog.getByRole('row').nth(1)).toEqual(['0', '2', '0', '2'])
    expect((await rheo.groups.lag('orders', 'billing')).lag).toBe(0)
    const replay = dialog.getByRole('button', { name: 'Replay 2 events' })
    await dialog.getByLabel('Type billing to confirm').fill('Billing')
    expect(await replay.isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Type billing to confirm').fill('billing')
    expect((await rheo.groups.lag('orders', 'billing')).lag).toBe(0)
    await replay.click()
    await page.getByText('Replay opened 2 events again for billing.').waitFor()
    await tile(page, 'Lag').toBe('2')
    expect(complaints).toEqual([])
  },
)

inBrowser('a change to a replay makes its dry run one of something else, to be made again', async () => {
  const own = world()
  await own.rheo.streams.create('orders')
  await own.rheo.groups.create('orders', 'billing')
  const [page] = await own.open('/dashboard/streams/orders/groups/billing')
  await page.getByRole('button', { name: 'Replay…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Dry run' }).click()
  await dialog.getByRole('button', { name: 'Replay 0 events' }).waitFor()
  await dialog.getByLabel('After sequence').fill('1')
  await dialog.getByRole('button', { name: 'Dry run' }).waitFor()
  await dialog.getByLabel('After sequence').fill('-1')
  await dialog.getByRole('button', { name: 'Dry run' }).click()
  await dialog.getByText('After sequence: a whole number').waitFor()
  await dialog.getByLabel('what a search finds').check()
  await dialog.getByLabel('Conditions').fill('{"total": {"like": 1}}')
  await dialog.getByRole('button', { name: 'Dry run' }).click()
  await dialog.getByRole('alert').getByText('like').waitFor()
})

inBrowser('a reset is told beforehand for a time in each partition, and is done as told', async () => {
  const own = world()
  const { rheo } = own
  await rheo.streams.create('orders', { partitionCount: 2 })
  await rheo.groups.create('orders', 'billing')
  const at = (partition: number, minutes: number) => ({
    partition,
    timestamp: new Date(Date.parse('2026-03-15T10:00:00Z') + minutes * 60_000),
  })
  await rheo.appendMany('orders', [at(0, 0), at(0, 10), at(0, 20), at(1, 0)])
  const [page] = await own.open('/dashboard/streams/orders/groups/billing', { timezoneId: 'UTC' })
  await page.getByRole('button', { name: 'Reset…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('at a time').check()
  await dialog.getByLabel('At or after').fill('2026-03-15T10:10')
  await dialog.getByRole('button', { name: 'Dry run' }).click()
  await cells(dialog.locator('tbody')).toEqual(['0', '1', '2', '1', '1', '0'])
  await dialog.getByLabel('Type billing to confirm').fill('billing')
  await dialog.getByRole('button', { name: 'Reset billing' }).click()
  await page.getByText('Reset billing: its lag there is 2 events.').waitFor()
  expect((await rheo.groups.lag('orders', 'billing')).partitions).toEqual({
    0: { frontier: 1, highWatermark: 3, lag: 2 },
    1: { frontier: 1, highWatermark: 1, lag: 0 },
  })
})

inBrowser(
  'a group is paused and resumed, a consumer`s leases are released, group and stream are deleted by name',
  async () => {
    const own = world()
    const { rheo } = own
    await rheo.streams.create('orders')
    await rheo.groups.create('orders', 'billing')
    await rheo.appendMany('orders', [{}, {}])
    await rheo.fetch('orders', 'billing', { consumerId: 'worker-1' })
    const [page, complaints] = await own.open('/dashboard/streams/orders/groups/billing')

    await page.getByRole('button', { name: 'Pause group' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause group' }).waitFor()
    expect((await rheo.groups.get('orders', 'billing')).paused).toBe(false)

    await page.getByRole('button', { name: 'Release all leases of worker-1' }).click()
    await page.getByRole('button', { name: 'Release', exact: true }).click()
    await page.getByText('Released 2 leases of worker-1.').waitFor()
    await page.getByText('Nobody holds a lease.').waitFor()

    await page.getByRole('button', { name: 'Delete group…' }).click()
    expect(await page.getByRole('button', { name: 'Delete group', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Type billing to confirm').fill('billing')
    await page.getByRole('button', { name: 'Delete group', exact: true }).click()
    await heading(page, 'orders')
    await page.getByText('No group reads this stream yet').waitFor()

    await page.getByRole('button', { name: 'Delete stream…' }).click()
    await page.getByLabel('Type orders to confirm').fill('orders')
    await page.getByRole('button', { name: 'Delete stream', exact: true }).click()
    await page.getByText('There is no stream here yet').waitFor()
    // Reading and deleting may cross.
    expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([])
  },
)

inBrowser('a search is part of the address, names the field that is wrong, and shows page after page', async () => {
  const own = world()
  await own.rheo.streams.create('orders', { partitionCount: 2 })
  await own.rheo.appendMany(
    'orders',
    Array.from({ length: 120 }, (_, total) => ({ key: `k-${total}`, payload: { total } })),
  )
  const [page] = await own.open('/dashboard/streams/orders')
  const search = page.getByLabel('Search')
  await search.fill('{"total": {"gte": 20}}')
  await page.keyboard.press('Enter')
  await page.getByText('50 events so far').waitFor()
  expect(new URL(page.url()).searchParams.get('where')).toBe('{"total": {"gte": 20}}')
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('100 events so far').or(page.getByText('100 events in all')).waitFor()
  expect(await page.getByRole('table', { name: 'Events found' }).getByRole('row').count()).toBe(101)

  await search.fill('{"total": {"like": 20}}')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => page.getByRole('alert').allInnerTexts())
    .toContainEqual(expect.stringMatching(/not well-formed.*total.*/))
  await search.fill('{"total"')
  await page.keyboard.press('Enter')
  await page.getByText('The search is no JSON').waitFor()
  await page.goBack()
  await page.goBack()
  await page.getByText('50 events so far').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('heading', { name: 'Recent events' }).waitFor()
})

inBrowser('an event shows what caused it, what it caused, and what became of it in each group', async () => {
  const own = world()
  const { rheo } = own
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  const append = (id: string, metadata: object) => rheo.append('orders', { id, metadata })
  await append('root', { correlation_id: 'A-1' })
  await append('middle', { correlation_id: 'A-1', causation_id: 'root' })
  await append('leaf', { correlation_id: 'A-1', causation_id: 'middle' })
  const { leases } = await rheo.fetch('orders', 'billing', { consumerId: 'worker-1' })
  await rheo.nack(leases[1]!, { reason: 'too early', delayMs: 60_000 })
  const [page] = await own.open('/dashboard/streams/orders/events/middle')
  const rowsOf = (name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr')
  await expect.poll(() => rowsOf('Caused by').allInnerTexts()).toEqual([expect.stringMatching(/^0\/1\s/)])
  await expect.poll(() => rowsOf('Caused by this event').allInnerTexts()).toEqual([expect.stringMatching(/^0\/3\s/)])
  await expect.poll(() => rowsOf('With the correlation A-1').count()).toBe(2)
  await cells(rowsOf('What became of the event in each group').first()).toEqual([
    'billing',
    'delayed',
    '1',
    '–',
    'in 1 min',
    'too early',
  ])
  await rowsOf('Caused by').getByRole('link').click()
  await heading(page, 'Event root')
})

inBrowser('dead letters are redriven page by page or all, and the focus stays where it was', async () => {
  const own = world()
  const { rheo } = own
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  await rheo.appendMany(
    'orders',
    Array.from({ length: 60 }, () => ({})),
  )
  const { leases } = await rheo.fetch('orders', 'billing', { limit: 60 })
  await rheo.rejectMany({ stream: 'orders', group: 'billing' }, leases)
  const [page] = await own.open('/dashboard/streams/orders/groups/billing/dead-letters')
  const rows = page.getByRole('table', { name: 'Dead letters' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('link', { name: 'Next 50' }).click()
  await expect.poll(() => rows.count()).toBe(10)
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Choose all on this page' }).click()
  await page.getByRole('button', { name: 'Redrive chosen (50)' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count()).toBe(10)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Redrive chosen (0)')
  await page.getByRole('button', { name: 'Redrive all…' }).click()
  await page.getByRole('button', { name: 'Redrive all', exact: true }).click()
  await page.getByText('Redrove 10 dead letters').waitFor()
  expect((await rheo.groups.get('orders', 'billing')).deadLetters).toBe(0)
})

inBrowser('of many partitions those that are furthest behind are brought to the front', async () => {
  const own = world()
  await own.rheo.streams.create('orders', { partitionCount: 20 })
  await own.rheo.groups.create('orders', 'billing')
  await own.rheo.appendMany('orders', [{ partition: 17 }, { partition: 17 }, { partition: 12 }])
  const [page] = await own.open('/dashboard/streams/orders/groups/billing')
  const strips = page.locator('.strip-name')
  await expect.poll(() => strips.first().textContent()).toBe('0 lag 0')
  expect(await strips.count()).toBe(8)
  await page.getByRole('button', { name: 'Furthest behind first' }).click()
  await expect
    .poll(() => strips.allTextContents())
    .toEqual(['17 lag 2', '12 lag 1', ...[0, 1, 2, 3, 4, 5].map((partition) => `${partition} lag 0`)])
})
