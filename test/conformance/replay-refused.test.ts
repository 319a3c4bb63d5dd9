import { expect, test } from 'vitest'
import { drain, type Group, groupAt } from './group.ts'
import { expectProblem, type Problem } from './problem.ts'
import { createStream, numbered, streamAt } from './stream.ts'

async function acked(partitionCount = 2): Promise<Group> {
  const stream = await createStream(partitionCount)
  await stream.appendMany(numbered(5, { partition: 0 }))
  const group = await stream.group()
  await drain(group)
  return group
}

/** Asserts that a replay is refused with the code, and that nothing is open because of it. */
async function refused(group: Group, body: unknown, code: string): Promise<Problem> {
  const problem = expectProblem(await group.send('POST', '/replay', { body }), code, JSON.stringify(body))
  expect((await group.lag()).lag).toBe(0)
  return problem
}

const malformed: Record<string, unknown>[] = [
  {},
  { dryRun: true },
  { partition: 0 },
  { fromSequence: 0, from: '2026-01-01T00:00:00Z' },
  { fromSequence: 0, query: {} },
  { from: '2026-01-01T00:00:00Z', query: {} },
  { fromSequence: 0, from: '2026-01-01T00:00:00Z', query: {} },
  { fromSequence: -1 },
  { fromSequence: 1.5 },
  { fromSequence: '1' },
  { fromSequence: null },
  { fromSequence: true },
  { fromSequence: [1] },
  { fromSequence: {} },
  { fromSequence: 2 ** 53 },
  { fromSequence: { '0': -1 } },
  { fromSequence: { '0': '1' } },
  { fromSequence: { '0': null } },
  { fromSequence: { zero: 1 } },
  { fromSequence: { '00': 1 } },
  { fromSequence: { '0': 1 }, partition: 0 },
  { fromSequence: { '0': 1 }, partitions: [0] },
  { from: 'yesterday' },
  { from: 5 },
  { from: null },
  { from: '2026-02-30T00:00:00Z' },
  { query: 'type = a' },
  { query: null },
  { query: [] },
  { query: { limit: 0 } },
  { query: { limit: 1.5 } },
  { query: { from: 'yesterday' } },
  { query: { afterSequence: -1 } },
]

test.each(malformed)('S5.2 without exactly one well-formed selector a replay is invalid_replay: %j', async (body) => {
  await refused(await acked(), body, 'invalid_replay')
})

test('S5.2 a member called __proto__ in a map of sequences is no partition', async () => {
  const group = await acked()
  const answer = await group.send('POST', '/replay', { raw: '{"fromSequence":{"__proto__":1}}' })
  expectProblem(answer, 'invalid_replay')
})

const wrong: [string, string, Record<string, unknown>][] = [
  ['invalid_request', 'order', { query: { order: 'sequence' } }],
  ['invalid_request', 'cursor', { query: { cursor: 'x' } }],
  ['invalid_request', 'descending', { query: { descending: true } }],
  ['invalid_request', 'type', { query: { type: 'a' } }],
  ['invalid_request', 'confirm', { fromSequence: 0, confirm: true }],
  ['invalid_request', 'resetAttempts', { fromSequence: 0, resetAttempts: 'yes' }],
  ['invalid_request', 'resetAttempts', { fromSequence: 0, resetAttempts: null }],
  ['invalid_request', 'dryRun', { fromSequence: 0, dryRun: 1 }],
  ['invalid_request', 'partition', { fromSequence: 0, partition: '0' }],
  ['invalid_request', 'partition', { fromSequence: 0, partition: null }],
  ['invalid_request', 'partitions', { fromSequence: 0, partition: 0, partitions: [0] }],
  ['invalid_request', 'partitions', { fromSequence: 0, partitions: 0 }],
  ['invalid_partition', 'partitions', { fromSequence: 0, partitions: [] }],
  ['invalid_partition', 'partition', { fromSequence: 0, partition: 2 }],
  ['invalid_partition', 'partition', { fromSequence: 0, partition: -1 }],
  ['invalid_partition', 'partition', { fromSequence: 0, partitions: [0, 2] }],
  ['invalid_partition', 'partition', { fromSequence: { '0': 0, '2': 0 } }],
  ['invalid_partition', 'partition', { query: {}, partition: 7 }],
  ['invalid_query', 'where', { query: { where: { a: {} } } }],
  ['invalid_query', 'where', { query: { where: null } }],
  ['invalid_query', 'event.x', { query: { where: { 'event.x': 1 } } }],
]

test.each(wrong)('S7 %s names %s and changes nothing: %j', async (code, field, body) => {
  expect((await refused(await acked(), body, code)).detail).toContain(field)
})

test('S5.2 from a time after every event is no_events_in_range, over what is asked for', async () => {
  const stream = await createStream(3)
  await stream.appendMany([
    { partition: 0, timestamp: '2026-01-01T00:00:00.000Z' },
    { partition: 1, timestamp: '2026-01-03T00:00:00.000Z' },
  ])
  const group = await stream.group()
  await drain(group)
  await refused(group, { from: '2026-01-03T00:00:00.001Z' }, 'no_events_in_range')
  await refused(group, { from: '2026-01-02T00:00:00.000Z', partition: 0 }, 'no_events_in_range')
  await refused(group, { from: '2026-01-01T00:00:00.000Z', partitions: [2] }, 'no_events_in_range')
  await refused(group, { from: '2999-01-01T00:00:00.000Z', dryRun: true }, 'no_events_in_range')
  expect(await group.replay({ from: '2026-01-02T00:00:00.000Z' })).toMatchObject({
    reopened: 1,
    partitions: { '0': { reopened: 0, lag: 0 }, '1': { reopened: 1 }, '2': { reopened: 0 } },
  })
})

test('S5.2 events in range that were never offered are no failure, and are not counted', async () => {
  const stream = await createStream()
  await stream.append({ timestamp: '2026-01-01T00:00:00.000Z' })
  const group = await stream.group()
  expect(await group.replay({ from: '2025-01-01T00:00:00.000Z' })).toMatchObject({ reopened: 0 })
})

test('S8.2 a replay from a time in the future replays nothing', async () => {
  const group = await acked()
  await refused(group, { from: '2999-01-01T00:00:00.000Z' }, 'no_events_in_range')
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
})

test('S7 the shape of the body is looked at before the stream, the stream before the group', async () => {
  const stream = await createStream()
  const nowhere = groupAt(streamAt('nobody-made-this'), 'g')
  const nobody = groupAt(stream, 'nobody')
  for (const [verb, bad, code, good] of [
    ['/replay', {}, 'invalid_replay', { fromSequence: 0 }],
    ['/reset', {}, 'confirm_required', { confirm: true }],
    ['/dead-letters/redrive', {}, 'invalid_request', { all: true }],
  ] as const) {
    expectProblem(await nowhere.send('POST', verb, { body: bad }), code)
    expectProblem(await nowhere.send('POST', verb, { body: good }), 'stream_not_found')
    expectProblem(await nobody.send('POST', verb, { body: good }), 'group_not_found')
    expectProblem(await nobody.send('GET', verb), ['method_not_allowed', 'not_found'])
  }
  // A partition is looked up in the stream, so a group that is not there comes first.
  expectProblem(await nobody.send('POST', '/replay', { body: { fromSequence: 0, partition: 9 } }), 'group_not_found')
})
