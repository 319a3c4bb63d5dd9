import { exports } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { ack, Rheo } from '../../src/client/index.ts'

test('a Worker consumes over a service binding: 10 000 events, concurrency 8, one handler in fifty failing once', async () => {
  const server = (exports as unknown as { default: Fetcher }).default
  const rheo = new Rheo({ fetch: server.fetch.bind(server), tenant: 'bound' })
  await rheo.streams.create('orders', { partitionCount: 4 })
  await rheo.groups.create('orders', 'billing')
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: 1_000 }, (_, n) => ({ key: `k${n}`, payload: { n: 1_000 * batch + n } }))
    await rheo.appendMany('orders', events)
  }
  const attempts = new Map<number, number>()
  let resolveAll: () => void
  const all = new Promise<void>((resolve) => {
    resolveAll = resolve
  })
  let acked = 0
  const consumer = await rheo.consumer<{ n: number }>({
    stream: 'orders',
    group: 'billing',
    concurrency: 8,
    maxDemand: 200,
    pollMs: 1_000,
    onEvent: (event) => void (event.type === 'acked' && ++acked === 10_000 && resolveAll()),
    handler: async ({ payload: { n } }, { attempt }) => {
      attempts.set(n, attempt)
      if (n % 50 === 0 && attempt === 1) throw new Error('one in fifty')
      return ack
    },
  })
  await all
  expect(await consumer.drain(5_000)).toEqual({ unsettled: 0 })
  expect((await rheo.groups.lag('orders', 'billing')).lag).toBe(0)
  expect(attempts.size).toBe(10_000)
  expect([...attempts.values()].filter((attempt) => attempt === 2)).toHaveLength(200)
  expect(Math.max(...attempts.values())).toBe(2)
})
