import { afterAll, beforeEach, expect, test } from 'vitest'
import { openShop, placeOrder, relay } from '../../examples/outbox.ts'
import { apply, catchUp, openProjection, rebuild } from '../../examples/projection.ts'
import { type Local, startLocal } from '../../scripts/local.ts'
import { Rheo } from '../../src/client/index.ts'

/* The examples with a database of their own. */

const local: Local = await startLocal()
const rheo = new Rheo({ url: local.url })
afterAll(() => local.stop())
beforeEach(async () => {
  await rheo.streams.delete('orders', { confirm: true }).catch(() => undefined)
  await rheo.streams.create('orders', { partitionCount: 4 })
})

const written = async () => (await rheo.query('orders', { limit: 1_000 })).events

test('outbox.ts appends what was committed, in order, and nothing of what was rolled back', async () => {
  const shop = openShop()
  placeOrder(shop, 'customer-7', 40)
  expect(() => placeOrder(shop, null as unknown as string, 1)).toThrow('NOT NULL')
  placeOrder(shop, 'customer-7', 12)
  expect(await relay(shop, rheo)).toBe(2)
  expect(await relay(shop, rheo)).toBe(0)
  expect((await written()).map(({ payload }) => payload.total)).toEqual([40, 12])
})

test('outbox.ts appends once, though its answer is lost and it starts again', async () => {
  const shop = openShop()
  for (const customer of ['a', 'b', 'c']) placeOrder(shop, customer, 1)
  let isLost = false
  const lossy = new Rheo({
    url: local.url,
    retry: false,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (isLost) return response
      isLost = true
      await response.text()
      throw new TypeError('the connection is gone')
    },
  })
  await expect(relay(shop, lossy)).rejects.toThrow()
  expect(await written()).toHaveLength(3)
  expect(await relay(shop, lossy)).toBe(3)
  expect(await written()).toHaveLength(3)
})

const spent = (projection: ReturnType<typeof openProjection>): Record<string, unknown> =>
  Object.fromEntries(
    projection
      .prepare('select * from spent')
      .all()
      .map(({ customer, total }) => [customer, total]),
  )

test('projection.ts adds up the log, counts no event twice, and counts those of a stream made anew', async () => {
  await rheo.groups.create('orders', 'spending')
  const totals = [40, 12, 5, 9, 1].map((total, index) => ({ key: `customer-${index % 2}`, payload: { total } }))
  const events = await rheo.appendMany('orders', totals)
  const projection = openProjection()
  await catchUp(projection, rheo)
  expect(spent(projection)).toEqual({ 'customer-0': 46, 'customer-1': 21 })

  apply(projection, { ...events[0]!, payload: { total: 40 } })
  expect(spent(projection)).toEqual({ 'customer-0': 46, 'customer-1': 21 })

  await rheo.streams.delete('orders', { confirm: true })
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'spending')
  await rheo.append('orders', { key: 'customer-0', payload: { total: 4 } })
  await catchUp(projection, rheo)
  expect(spent(projection)).toEqual({ 'customer-0': 50, 'customer-1': 21 })
})

test('projection.ts is the same when rebuilt', async () => {
  await rheo.groups.create('orders', 'spending')
  await rheo.appendMany(
    'orders',
    [40, 6].map((total) => ({ key: 'customer-0', payload: { total } })),
  )
  const projection = openProjection()
  await catchUp(projection, rheo)
  projection.exec('update spent set total = 0')
  await rebuild(projection, rheo)
  expect(spent(projection)).toEqual({ 'customer-0': 46 })
  expect(await rheo.groups.lag('orders', 'spending')).toMatchObject({ lag: 0 })
})
