import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { Rheo } from '../../src/client/index.ts'
import { Program } from './program.ts'

/* Each example as a process of its own, against a server. */

const local: Local = await startLocal()
const rheo = new Rheo({ url: local.url })
afterAll(() => local.stop())
beforeEach(async () => {
  const { streams } = await rheo.streams.list()
  await Promise.all(streams.map(({ name }) => rheo.streams.delete(name, { confirm: true })))
})

test('walkthrough.sh shows a life of events, and leaves nothing behind', async () => {
  const walkthrough = new Program('bash', ['examples/walkthrough.sh', local.url])
  expect(await walkthrough.end(), walkthrough.output.join('\n')).toBe(0)
  const answers = walkthrough.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  expect(answers.find(({ deadLetters }) => deadLetters)).toMatchObject({ deadLetters: [{ reason: 'no such order' }] })
  expect(answers.find(({ redriven }) => redriven)).toMatchObject({ redriven: 1 })
  expect(answers.find(({ reopened }) => reopened)).toMatchObject({ reopened: 2 })
  expect((await rheo.streams.list()).streams).toEqual([])
})

test('node-worker.ts bills what it can, gives up what it cannot, tries again what was declined, and stops cleanly', async () => {
  const worker = Program.node('node-worker.ts', { RHEO_URL: local.url })
  await worker.printed('is working')
  const [, negative, large] = await rheo.appendMany(
    'orders',
    [40, -5, 5_000].map((total) => ({ payload: { order: `order ${total}`, total } })),
  )
  await worker.printed('billed')
  await worker.printed(`gave up ${negative!.id}: a negative total`)
  await worker.printed(`${large!.id} is delayed: declined on attempt 1`)
  expect(await worker.end('SIGTERM')).toBe(0)
  const { inFlight, delayed, deadLetters } = await rheo.groups.get('orders', 'billing')
  expect({ inFlight, delayed, deadLetters }).toEqual({ inFlight: 0, delayed: 1, deadLetters: 1 })
})

test('cloudevents.ts appends an event whose attributes are where they are said to be, once', async () => {
  await rheo.streams.create('orders', { partitionCount: 2 })
  for (const status of ['201', '200']) {
    const producer = Program.node('cloudevents.ts', { RHEO_URL: local.url })
    expect(await producer.end(), producer.output.join('\n')).toBe(0)
    expect(producer.output[0]).toMatch(new RegExp(`^${status} `))
  }
  const { events } = await rheo.query('orders', { where: { correlation_id: 'session-12' } })
  expect(events).toMatchObject([
    {
      id: 'order-A-1',
      type: 'placed',
      key: 'customer-7',
      payload: { order: 'A-1', total: 40 },
      metadata: { source: '/shop' },
    },
  ])
})
