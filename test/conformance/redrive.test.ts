import { expect, test } from 'vitest'
import { drain, type Group, sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { placeOf } from './search.ts'
import { createStream, numbered, type Stream } from './stream.ts'
import type { DeadLetter } from './wire.ts'

/** A group that has used up the attempts of every event of its partitions. */
async function buried(sizes: readonly number[], maxAttempts = 1): Promise<{ stream: Stream; group: Group }> {
  const stream = await createStream(sizes.length)
  await stream.appendMany(sizes.flatMap((size, partition) => numbered(size, { partition })))
  const group = await stream.group({ maxAttempts })
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await group.many('nack', { leases: await group.fetch({ limit: 1_000 }) })
  }
  return { stream, group }
}

test('S5.9 redrive reopens all dead letters with attempt 0', async () => {
  const { group } = await buried([3, 2], 2)
  expect(await group.redrive({ all: true })).toMatchObject({
    redriven: 5,
    partitions: { '0': { frontier: 0, highWatermark: 3, lag: 3 }, '1': { frontier: 0, highWatermark: 2, lag: 2 } },
  })
  expect(await group.deadLetters()).toEqual([])
  expect(await group.holes()).toMatchObject({ holes: [{ first: 1, last: 3, state: 'available', attempt: 0 }] })
  const leases = await drain(group)
  expect(leases.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1])
  expect((await group.lag()).lag).toBe(0)
})

test('S8.14 a redriven dead letter does not die again at once: it has all its attempts', async () => {
  const { group } = await buried([1], 3)
  for (let round = 0; round < 3; round += 1) {
    expect(await group.deadLetters()).toMatchObject([{ attempt: 3 }])
    await group.redrive({ all: true })
    for (const [attempt, state] of [
      [1, 'available'],
      [2, 'available'],
      [3, 'rejected'],
    ] as const) {
      const [lease] = await group.fetch()
      expect(lease!.attempt).toBe(attempt)
      expect((await group.ok('nack', lease!)).state).toBe(state)
    }
  }
})

test('S5.9 chosen ids, generated and chosen by the producer; ids that are none are ignored and not counted', async () => {
  const stream = await createStream(2)
  const events = await stream.appendMany([
    { partition: 0, id: 'mine' },
    { partition: 1 },
    { partition: 0 },
    { partition: 1, id: 'acked' },
    { partition: 1, id: 'other' },
  ])
  const group = await stream.group({ maxAttempts: 1 })
  const leases = await group.fetch()
  await group.many('reject', { leases: leases.filter((lease) => lease.eventId !== 'acked') })
  await group.many('ack', { leases: leases.filter((lease) => lease.eventId === 'acked') })
  const eventIds = ['mine', events[1]!.id, 'acked', 'nothing', events[1]!.id, `${events[1]!.id}0`, '__proto__', '😀']
  expect(await group.redrive({ eventIds })).toMatchObject({ redriven: 2 })
  expect((await group.fetch()).map((lease) => lease.eventId).sort()).toEqual([events[1]!.id, 'mine'].sort())
  expect((await group.deadLetters()).map((letter) => letter.eventId).sort()).toEqual(['other', events[2]!.id].sort())
  // What is leased now is no dead letter any more.
  expect(await group.redrive({ eventIds })).toMatchObject({ redriven: 0 })
})

test('S5.9 ids of another stream are none', async () => {
  const { group } = await buried([2])
  const { group: other } = await buried([2])
  const eventIds = (await other.deadLetters()).map((letter) => letter.eventId)
  expect(await group.redrive({ eventIds })).toMatchObject({ redriven: 0 })
  expect(await group.deadLetters()).toHaveLength(2)
})

test('S5.9 a redrive touches dead letters only, and those of its own group', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(6))
  const [group, other] = [await stream.group(), await stream.group()]
  for (const one of [group, other]) await one.many('reject', { leases: await one.fetch({ limit: 2 }) })
  const [acked, delayed, held] = await group.fetch({ limit: 3 })
  await group.ok('ack', acked!)
  await group.ok('nack', delayed!, { delayMs: 3_600_000 })
  expect(await group.redrive({ all: true })).toMatchObject({ redriven: 2 })
  expect(await group.info()).toMatchObject({ inFlight: 1, delayed: 1, available: 2, deadLetters: 0 })
  expect(await other.deadLetters()).toHaveLength(2)
  await group.ok('ack', held!)
  expect(sequences(await group.fetch())).toEqual([1, 2, 6])
})

test('S5.9 redrive without dead letters reopens nothing, and repeating it is safe', async () => {
  const { group } = await buried([2])
  expect((await group.redrive({ all: true })).redriven).toBe(2)
  expect((await group.redrive({ all: true })).redriven).toBe(0)
  await drain(group)
  expect((await group.redrive({ all: true })).redriven).toBe(0)
  expect((await group.lag()).lag).toBe(0)
})

test('S5.8 a cursor of dead letters survives redrives: each of the rest once, in order', async () => {
  const { group } = await buried([6, 0, 6])
  const all = await group.deadLetters()
  const page = async (query: string) =>
    (await group.send<{ deadLetters: DeadLetter[]; nextCursor: string | null }>('GET', `/dead-letters${query}`)).body
  const first = await page('?limit=4')
  await group.redrive({ eventIds: [...first.deadLetters, all[5]!, all[8]!].map((letter) => letter.eventId) })
  const rest: DeadLetter[] = []
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const next = await page(`?limit=3&after=${encodeURIComponent(cursor)}`)
    rest.push(...next.deadLetters)
    cursor = next.nextCursor
  }
  expect(rest.map(placeOf)).toEqual(all.filter((_, index) => index > 3 && index !== 5 && index !== 8).map(placeOf))
})

test('S5.8 a cursor that is damaged, of another group or of another list is cursor_not_found', async () => {
  const { stream, group } = await buried([6])
  const { body } = await group.send<{ nextCursor: string }>('GET', '/dead-letters?limit=2')
  const cursor = body.nextCursor
  const refused = async (one: Group, list: string, after: string) =>
    expectProblem(await one.send('GET', `/${list}?after=${encodeURIComponent(after)}`), 'cursor_not_found', after)
  for (const [at, character] of [...cursor].entries()) {
    const other = character === 'A' ? 'B' : 'A'
    await refused(group, 'dead-letters', cursor.slice(0, at) + other + cursor.slice(at + 1))
  }
  for (const after of [`${cursor}=`, `${cursor}A`, cursor.slice(1), cursor.slice(0, -1), ` ${cursor}`]) {
    await refused(group, 'dead-letters', after)
  }
  await refused(group, 'leases', cursor)
  await refused(await stream.group(), 'dead-letters', cursor)
})

const wrong: [string, Record<string, unknown>][] = [
  ['eventIds', {}],
  ['eventIds', { eventIds: [] }],
  ['eventIds', { eventIds: 'a' }],
  ['eventIds', { eventIds: [1] }],
  ['eventIds', { eventIds: [''] }],
  ['eventIds', { eventIds: ['x'.repeat(129)] }],
  ['eventIds', { eventIds: null }],
  ['eventIds', { eventIds: Array.from({ length: 1_001 }, (_, index) => `e${index}`) }],
  ['all', { all: false }],
  ['all', { all: 'true' }],
  ['all', { all: null }],
  ['all', { all: true, eventIds: ['a'] }],
  ['confirm', { all: true, confirm: true }],
  ['partition', { all: true, partition: 0 }],
]

test.each(wrong.map(([field, body]) => [field, JSON.stringify(body).slice(0, 60), body] as const))(
  'S7 a redrive with a wrong %s is invalid_request and reopens nothing: %s',
  async (field, _, body) => {
    const { group } = await buried([1])
    const answer = await group.send('POST', '/dead-letters/redrive', { body })
    expect(expectProblem(answer, 'invalid_request').detail).toContain(field)
    expect(await group.deadLetters()).toHaveLength(1)
  },
)

test('API 1 000 ids are redriven in one call, over many partitions', async () => {
  const { group } = await buried([400, 300, 300])
  const eventIds = (await group.deadLetters('?limit=1000')).map((letter) => letter.eventId)
  expect(eventIds).toHaveLength(1_000)
  expect(await group.redrive({ eventIds })).toMatchObject({ redriven: 1_000 })
  expect(await drain(group)).toHaveLength(1_000)
  expect((await group.lag()).lag).toBe(0)
})
