import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectProblem } from './problem.ts'
import { createStream } from './stream.ts'

/** Keys with their partitions by partition count, from a real Erlang VM. */
const vectors: { key: string; partitions: Record<string, number> }[] = JSON.parse(
  readFileSync(new URL('../data/phash2-vectors.json', import.meta.url), 'utf8'),
)

test.each([1, 3, 4, 7, 8, 16, 64, 100, 256])(
  'S2.2 over %d partitions every key goes where erlang:phash2 sends it',
  async (count) => {
    const stream = await createStream(count)
    const events = await stream.appendMany(vectors.map(({ key }) => ({ key })))
    expect(events).toHaveLength(vectors.length)
    const routed = events.map((event) => [event.key, event.partition])
    expect(routed).toEqual(vectors.map(({ key, partitions }) => [key, partitions[String(count)]]))
  },
)

test('S2.2 an empty key is a key, and not the same as none', async () => {
  const stream = await createStream(256)
  const ofNoCharacter = vectors.find(({ key }) => key === '')!.partitions['256']!
  expect(ofNoCharacter).not.toBe(0)
  expect(await stream.append({ key: '' })).toMatchObject({ key: '', partition: ofNoCharacter })
})

test('S2.2 a safe integer as key is its decimal text', async () => {
  const stream = await createStream(256)
  const numbers: [sent: string, text: string][] = [
    ['0', '0'],
    ['42', '42'],
    ['-7', '-7'],
    ['1e3', '1000'],
    ['5.0', '5'],
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
  ]
  for (const [sent, text] of numbers) {
    const answer = await stream.send<{ event: unknown }>('POST', '/events', { raw: `{"key":${sent}}` })
    expect(answer.status, answer.where).toBe(201)
    const { partition } = await stream.append({ key: text })
    expect(answer.body.event).toMatchObject({ key: text, partition })
  }
})

test('S2.2 an explicit partition wins over the key', async () => {
  const stream = await createStream(4)
  for (const partition of [0, 1, 2, 3]) {
    expect(await stream.append({ key: 'customer', partition })).toMatchObject({ key: 'customer', partition })
  }
})

test('S2.2 without partition and key an event goes to partition 0', async () => {
  const stream = await createStream(16)
  for (const event of [{}, { key: null }, { type: 'a' }]) expect((await stream.append(event)).partition).toBe(0)
})

test.each([-1, 4, 256, 1e15])('S2.2 partition %d of 4 is invalid_partition', async (partition) => {
  const stream = await createStream(4)
  expectProblem(await stream.post({ partition }), 'invalid_partition')
  expectProblem(await stream.post({ key: 'k', partition }), 'invalid_partition')
  expectProblem(await stream.post({ events: [{}, { partition }] }), 'invalid_partition')
  expect(await stream.highWatermark()).toBe(0)
})

test.each(['"0"', 'null', '1.5', 'true', '[0]', '1e400'])('S2.2 a partition of %s is refused', async (partition) => {
  const stream = await createStream(4)
  const answer = await stream.send('POST', '/events', { raw: `{"partition":${partition}}` })
  expectProblem(answer, ['invalid_partition', 'invalid_request'])
  expect(await stream.highWatermark()).toBe(0)
})

test('S2.2 events of one key keep their order', async () => {
  const stream = await createStream(8)
  const keys = ['a', 'b', 'c', 'd']
  for (let round = 0; round < 10; round += 1) {
    await stream.appendMany(keys.map((key) => ({ key, payload: { round } })))
  }
  for (const key of keys) {
    const [partition] = (await stream.appendMany([{ key, payload: { round: 10 } }])).map((event) => event.partition)
    const rounds = (await stream.read(partition))
      .filter((event) => event.key === key)
      .map((event) => event.payload.round)
    expect(rounds).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }
})
