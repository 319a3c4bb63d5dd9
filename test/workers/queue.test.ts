import { describe, expect, it } from 'vitest'
import { CommandQueue } from '../../durable-objects/command-queue.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import { addressOf, bindings, createStream, run } from './objects.ts'

describe('group commit', () => {
  it('what comes while a commit is under way runs as one batch, in order', async () => {
    const batches: number[][] = []
    const commits: (() => void)[] = []
    const queue = new CommandQueue<number, number>(
      (inputs) => {
        batches.push([...inputs])
        return inputs.map((input) => ({ output: 10 * input }))
      },
      () => new Promise((resolve) => commits.push(resolve)),
      100,
    )
    const first = queue.submit(1, 1)
    const others = [2, 3, 4].map((input) => queue.submit(input, 1))
    expect(await first).toBe(10)
    expect(batches).toEqual([[1]])
    commits.shift()!()
    expect(await Promise.all(others)).toEqual([20, 30, 40])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  it('a fault of one command is its own', async () => {
    const queue = new CommandQueue<number, number>(
      (inputs) => inputs.map((input) => (input === 2 ? { fault: new Error('two') } : { output: input })),
      async () => {},
      100,
    )
    const [one, two, three] = await Promise.allSettled([1, 2, 3].map((input) => queue.submit(input, 1)))
    expect([one!.status, two!.status, three!.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('a batch may stop early: what it left runs as the next one, in order', async () => {
    const batches: number[][] = []
    const queue = new CommandQueue<number, number>(
      (inputs) => {
        batches.push([...inputs])
        return inputs.slice(0, 2).map((input) => ({ output: input }))
      },
      async () => {},
      100,
    )
    expect(await Promise.all([1, 2, 3, 4, 5].map((input) => queue.submit(input, 1)))).toEqual([1, 2, 3, 4, 5])
    expect(batches).toEqual([[1], [2, 3, 4, 5], [4, 5]])
  })

  it('is full beyond its bytes, but takes any single command', () => {
    const queue = new CommandQueue<number, number>(
      (inputs) => inputs.map((input) => ({ output: input })),
      () => new Promise(() => {}),
      100,
    )
    expect(queue.isFullFor(1_000)).toBe(false)
    void queue.submit(1, 1)
    void queue.submit(2, 60)
    expect(queue.isFullFor(40)).toBe(false)
    expect(queue.isFullFor(41)).toBe(true)
  })
})

it('64 appends at one time are all in, each once, in fewer rows than appends', async () => {
  const stream = await createStream()
  const address = addressOf(stream)
  await run(address, { type: 'status' })
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      partitionStub(bindings, address).run(
        address,
        {
          type: 'append',
          append: {
            lines: `{"type":null,"key":null,"payload":{"n":${n}},"metadata":{}}`,
            count: 1,
            ids: [],
            times: [],
            terms: new Uint32Array(),
            atMs: Date.now(),
            idempotency: null,
            expectedSequence: null,
          },
        },
        null,
      ),
    ),
  )
  const firsts = answers.map(({ answer }) => (answer.status === 'done' ? answer.value.first : 0))
  expect(firsts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, n) => n + 1))
  const { events } = await run(address, { type: 'read', after: 0, limit: 100, maxBytes: 1_000_000 })
  const stored = (JSON.parse(`[${events}]`) as { sequence: number; payload: { n: number } }[]).map(
    ({ sequence, payload }) => [payload.n, sequence],
  )
  expect(new Map(stored as [number, number][])).toEqual(new Map(firsts.map((first, n) => [n, first])))
  const rows = answers.reduce((sum, { cost }) => sum + cost.rowsWritten, 0)
  expect(rows).toBeLessThan(64)
})

it('an answer of nothing is an answer, and those behind it keep their own', async () => {
  const stream = await createStream()
  const address = addressOf(stream)
  await run(address, { type: 'status' })
  const find = { type: 'event', id: 'nobody', sequence: null, withGroups: false } as const
  const [one, two, three] = await Promise.all([
    run(address, find),
    run(address, { type: 'status' }),
    run(address, find),
  ])
  expect([one, two, three]).toEqual([null, { firstSequence: 1, highWatermark: 0, bytes: 0 }, null])
})
