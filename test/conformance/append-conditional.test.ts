import { expect, test } from 'vitest'
import { expectProblem } from './problem.ts'
import { createStream } from './stream.ts'
import type { StreamEvent } from './wire.ts'

test('S2.8 an append whose expectedSequence is the high watermark is in', async () => {
  const stream = await createStream()
  for (const expectedSequence of [0, 1, 2]) {
    const answer = await stream.post<{ event: StreamEvent }>({ expectedSequence })
    expect(answer.status, answer.where).toBe(201)
    expect(answer.body.event.sequence).toBe(expectedSequence + 1)
  }
})

test('S2.8 otherwise it is sequence_conflict with both numbers, and nothing is written', async () => {
  const stream = await createStream()
  await stream.appendMany([{}, {}, {}])
  for (const expectedSequence of [0, 2, 4, Number.MAX_SAFE_INTEGER]) {
    const one = expectProblem(await stream.post({ expectedSequence }), 'sequence_conflict')
    expect(one).toMatchObject({ expectedSequence, highWatermark: 3 })
    const many = expectProblem(await stream.post({ events: [{}, {}], expectedSequence }), 'sequence_conflict')
    expect(many).toMatchObject({ expectedSequence, highWatermark: 3 })
  }
  expect(await stream.highWatermark()).toBe(3)
})

test('S2.8 a batch is compared once: with the high watermark before it', async () => {
  const stream = await createStream()
  await stream.append()
  const answer = await stream.post<{ events: StreamEvent[] }>({ events: [{}, {}, {}], expectedSequence: 1 })
  expect(answer.status).toBe(201)
  expect(answer.body.events.map((event) => event.sequence)).toEqual([2, 3, 4])
})

test('S2.8 the comparison is with the partition of the events', async () => {
  const stream = await createStream(2)
  await stream.appendMany([{ partition: 0 }, { partition: 0 }])
  expect((await stream.post({ partition: 1, expectedSequence: 0 })).status).toBe(201)
  expectProblem(await stream.post({ partition: 0, expectedSequence: 1 }), 'sequence_conflict')
})

test('S2.8 over several partitions expectedSequence is invalid_request, and nothing is written', async () => {
  const stream = await createStream(2)
  const answer = await stream.post({ events: [{ partition: 0 }, { partition: 1 }], expectedSequence: 0 })
  expectProblem(answer, 'invalid_request')
  expect(await stream.highWatermark(0)).toBe(0)
  expect(await stream.highWatermark(1)).toBe(0)
})

test('S2.8 duplicates are resolved first: a repeat is answered though the high watermark has moved', async () => {
  const stream = await createStream()
  const request = { events: [{ id: 'a' }, { id: 'b' }], expectedSequence: 0 }
  expect((await stream.post(request)).status).toBe(201)
  await stream.append()
  const repeat = await stream.post<{ events: StreamEvent[] }>(request)
  expect(repeat.status).toBe(200)
  expect(repeat.body.events).toMatchObject([
    { sequence: 1, duplicate: true },
    { sequence: 2, duplicate: true },
  ])
})

test('S2.8 compared if something new would be written: one repeated, one new is sequence_conflict', async () => {
  const stream = await createStream()
  await stream.append({ id: 'a' })
  const request = { events: [{ id: 'a' }, { id: 'b' }] }
  expectProblem(await stream.post({ ...request, expectedSequence: 0 }), 'sequence_conflict')
  expect(await stream.highWatermark()).toBe(1)
  expect((await stream.post({ ...request, expectedSequence: 1 })).status).toBe(201)
  expect(await stream.highWatermark()).toBe(2)
})

test('S2.8 of 10 concurrent appends that expect the same sequence exactly one is in', async () => {
  const stream = await createStream()
  const answers = await Promise.all(Array.from({ length: 10 }, () => stream.post({ expectedSequence: 0 })))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
  for (const answer of answers) {
    if (answer.status !== 201) expect(expectProblem(answer, 'sequence_conflict').highWatermark).toBe(1)
  }
  expect(await stream.highWatermark()).toBe(1)
})
