import { describe, expect, test } from 'vitest'
import {
  AmbiguousError,
  IdConflictError,
  InvalidRequestError,
  type NewEvent,
  PartitionFullError,
  StaleLeaseError,
} from '../../src/client/index.ts'
import { newWorld } from './consumer-world.ts'
import { type Call, type Plan, problem } from './fake-server.ts'

/** Answers appends as a stream of `partitions` partitions does, each event to the one it names. */
function appending(partitions = 1): (call: Call) => Plan | undefined {
  const sequences = new Array<number>(partitions).fill(0)
  const place = (event: NewEvent) => {
    const partition = event.partition ?? 0
    sequences[partition]! += 1
    return { ...event, partition, sequence: sequences[partition] }
  }
  return ({ verb, body }) => {
    if (verb !== 'events') return undefined
    const answer = body.events === undefined ? { event: place(body) } : { events: body.events.map(place) }
    return { backMs: 10, answer: { status: 201, body: answer } }
  }
}

const sizes = (calls: readonly Call[]): number[] => calls.map(({ body }) => body.events?.length ?? 1)

describe('appends gather while one is in flight', () => {
  test('64 callers at once go out as two requests, each with its own result, in their order', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const calls = [rheo.append('s', { payload: { n: 0 } })]
    await clock.settle()
    for (let n = 1; n < 64; n++) calls.push(rheo.append('s', { payload: { n } }))
    await clock.advance(20)
    const events = await Promise.all(calls)
    expect(sizes(server.calls)).toEqual([1, 63])
    expect(events.map(({ payload, sequence }) => [payload.n, sequence])).toEqual(
      Array.from({ length: 64 }, (_, n) => [n, n + 1]),
    )
    expect(clock.timers).toBe(0)
  })

  test('what is asked in one turn goes as one, and callers that go on after an answer are gathered again', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const callers = Array.from({ length: 64 }, async () => {
      for (let n = 0; n < 10; n++) await rheo.append('s', {})
    })
    await clock.advance(1_000)
    await Promise.all(callers)
    expect(sizes(server.calls)).toEqual(new Array(10).fill(64))
  })

  test('one alone waits for nothing, streams do not wait for one another', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const calls = [rheo.append('s', {}), rheo.append('t', {})]
    await clock.settle()
    expect(server.calls.map(({ path }) => path)).toEqual(['/v1/streams/s/events', '/v1/streams/t/events'])
    expect(server.calls[0]!.body).toEqual({})
    await clock.advance(10)
    await Promise.all(calls)
  })

  test('a request holds at most 1 000 events', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const calls = Array.from({ length: 2_500 }, () => rheo.append('s', {}))
    await clock.advance(100)
    await Promise.all(calls)
    expect(sizes(server.calls)).toEqual([1_000, 1_000, 500])
  })

  test('and no more than 4 Mi characters, unless one event has more', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const big = { text: 'x'.repeat(1_500_000) }
    const calls = Array.from({ length: 6 }, () => rheo.append('s', { payload: big }))
    await clock.advance(100)
    await Promise.all(calls)
    expect(sizes(server.calls)).toEqual([2, 2, 2])
  })

  test('those with a condition or a key of their own go alone, and many at once too', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const first = rheo.append('s', {})
    await clock.settle()
    const calls = [
      first,
      rheo.append('s', { type: 'conditional' }, { expectedSequence: 7 }),
      rheo.append('s', { type: 'keyed' }, { idempotencyKey: 'mine' }),
      rheo.appendMany('s', [{}, {}]),
      rheo.append('s', {}),
      rheo.append('s', {}),
    ]
    await clock.advance(100)
    await Promise.all<unknown>(calls)
    expect(sizes(server.calls)).toEqual([1, 1, 1, 2, 2])
    expect(server.calls[1]!.body).toEqual({ type: 'conditional', expectedSequence: 7 })
    expect(server.calls[2]!.headers['Idempotency-Key']).toBe('mine')
  })

  test('gather: false sends each by itself', async () => {
    const { clock, server, rheo } = newWorld({ gather: false })
    server.plan = appending()
    const calls = Array.from({ length: 5 }, () => rheo.append('s', {}))
    await clock.advance(10)
    await Promise.all(calls)
    expect(sizes(server.calls)).toEqual([1, 1, 1, 1, 1])
  })

  test('an abort takes out what waits, and ends the waiting for what is sent', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = appending()
    const abort = new AbortController()
    const sent = rheo.append('s', {}, { signal: abort.signal })
    await clock.settle()
    const waiting = rheo.append('s', {}, { signal: abort.signal })
    const other = rheo.append('s', {})
    await clock.settle()
    abort.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    await expect(waiting).rejects.toThrow('enough')
    await clock.advance(100)
    await other
    expect(sizes(server.calls)).toEqual([1, 1])
  })
})

describe('the failures of gathered appends', () => {
  test('S2.4: a bad event fails its own caller alone, with the field as that caller knows it', async () => {
    const { clock, server, rheo } = newWorld()
    const good = appending()
    server.plan = (call) => {
      const events: NewEvent[] = call.body.events ?? [call.body]
      const bad = events.findIndex(({ type }) => (type as unknown) === 1)
      if (bad === -1) return good(call)
      const field = call.body.events === undefined ? 'type' : `events[${bad}].type`
      return { backMs: 10, answer: problem(400, 'invalid_request', { field }) }
    }
    const calls = Array.from({ length: 20 }, (_, n) => {
      const type = n === 7 || n === 12 ? (1 as unknown as string) : `n${n}`
      return rheo.append('s', { type })
    })
    const settled = Promise.allSettled(calls)
    await clock.advance(1_000)
    const outcomes = await settled
    expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([7, 12])
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused!.reason).toBeInstanceOf(InvalidRequestError)
    expect(refused!.reason.data.field).toBe('type')
    // All refused, 0..6, 7, the others refused, 8..11, 12, 13..19.
    expect(sizes(server.calls)).toEqual([20, 7, 1, 12, 4, 1, 7])
  })

  test('an id conflict in a partition fails its own caller alone, and what is in is in', async () => {
    const { clock, server, rheo } = newWorld()
    const good = appending(2)
    server.plan = (call) => {
      const events: NewEvent[] = call.body.events ?? [call.body]
      if (!events.some(({ id }) => id === 'taken')) return good(call)
      if (events.length === 1) return { backMs: 10, answer: problem(409, 'id_conflict', { id: 'taken' }) }
      // Partition 0 holds the conflict, partition 1 is in.
      const results = events.map((event, n) =>
        event.partition === 1 ? { event: { ...event, sequence: n } } : { code: 'id_conflict', detail: 'taken' },
      )
      const touched = new Set(events.map(({ partition }) => partition)).size
      return { backMs: 10, answer: problem(409, 'id_conflict', touched > 1 ? { results } : {}) }
    }
    const calls = [
      rheo.append('s', { partition: 0, type: 'first' }),
      rheo.append('s', { partition: 0, type: 'a' }),
      rheo.append('s', { partition: 1, type: 'b' }),
      rheo.append('s', { partition: 0, id: 'taken' }),
      rheo.append('s', { partition: 0, type: 'c' }),
    ]
    const settled = Promise.allSettled(calls)
    await clock.advance(1_000)
    const outcomes = await settled
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect((outcomes[3] as PromiseRejectedResult).reason).toBeInstanceOf(IdConflictError)
    const sent = server.calls.flatMap(({ body }) => body.events ?? [body])
    expect(sent.filter(({ type }) => type === 'b')).toHaveLength(1)
  })

  test('results tell each caller its own: in, not in, or unknown', async () => {
    const { clock, server, rheo } = newWorld({ retry: false })
    const good = appending(3)
    server.plan = (call) => {
      if (call.body.events === undefined) return good(call)
      const results = [
        { event: { partition: 0, sequence: 9 }, duplicate: true },
        { code: 'partition_full', detail: 'partition 1 is full' },
        { code: 'ambiguous' },
      ]
      return { answer: problem(504, 'ambiguous', { results }) }
    }
    const calls = [0, 1, 2].map((partition) => rheo.append('s', { partition }))
    const settled = Promise.allSettled(calls)
    await clock.advance(100)
    const [isIn, isFull, isUnknown] = await settled
    expect(isIn).toMatchObject({ status: 'fulfilled', value: { sequence: 9, duplicate: true } })
    expect((isFull as PromiseRejectedResult).reason).toBeInstanceOf(PartitionFullError)
    expect((isUnknown as PromiseRejectedResult).reason).toBeInstanceOf(AmbiguousError)
    expect(server.calls).toHaveLength(1)
  })

  test('a lost answer is repeated as a whole under its key, and else everybody is told ambiguous', async () => {
    const { clock, server, rheo } = newWorld()
    const good = appending()
    let failures = 1
    server.plan = (call) => (failures-- > 0 ? { breaks: 'after' } : good(call))
    const calls = [rheo.append('s', { type: 'a' }), rheo.append('s', { type: 'b' }), rheo.append('s', { type: 'c' })]
    await clock.advance(1_000)
    await Promise.all(calls)
    expect(sizes(server.calls)).toEqual([3, 3])
    server.plan = () => ({ breaks: 'after' })
    const lost = Promise.allSettled([rheo.append('s', {}), rheo.append('s', {}), rheo.append('s', {})])
    await clock.advance(60_000)
    for (const outcome of await lost) expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(AmbiguousError)
  })

  test('appendMany throws the worst failure with the fate of each event', async () => {
    const { server, rheo } = newWorld({ retry: false })
    server.plan = () => ({
      answer: problem(503, 'backend_unavailable', {
        results: [{ event: { sequence: 1 } }, { code: 'backend_unavailable', detail: 'partition 1 does not answer' }],
      }),
    })
    await expect(rheo.appendMany('s', [{}, {}])).rejects.toMatchObject({
      code: 'backend_unavailable',
      status: 503,
      data: {
        results: [{ event: { sequence: 1 } }, { code: 'backend_unavailable', detail: 'partition 1 does not answer' }],
      },
    })
  })
})

describe('settles gather while one is in flight', () => {
  const ref = (leaseId: string) => ({ stream: 's', group: 'g', leaseId })

  test('single ones of a group go out together, whatever their outcomes, each with its own result', async () => {
    const { clock, server, rheo } = newWorld()
    server.append(5)
    server.plan = ({ verb }) => (verb === 'settle' ? { backMs: 10 } : undefined)
    const { leases } = await rheo.fetch('s', 'g', { limit: 4 })
    const calls = Promise.allSettled([
      rheo.ack(leases[0]!),
      rheo.nack(leases[1]!, { reason: 'later', delayMs: 100 }),
      rheo.reject(leases[2]!, { reason: 'never' }),
      rheo.release(leases[3]!),
      rheo.ack(ref('nobody')),
    ])
    await clock.advance(100)
    const outcomes = await calls
    expect(server.of('settle').map(({ body }) => body.items.length)).toEqual([5])
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value.state : one.reason.code))).toEqual([
      'acked',
      'available',
      'rejected',
      'available',
      'stale_lease',
    ])
    expect((outcomes[4] as PromiseRejectedResult).reason).toBeInstanceOf(StaleLeaseError)
    expect((outcomes[4] as PromiseRejectedResult).reason.data).toEqual({ leaseId: 'nobody' })
    // Nothing of a lease but what names it goes out.
    expect(Object.keys(server.of('settle')[0]!.body.items[0])).toEqual(['leaseId', 'receipt', 'outcome'])
  })

  test('a malformed one fails alone', async () => {
    const { clock, server, rheo } = newWorld()
    server.append(3)
    const { leases } = await rheo.fetch('s', 'g', { limit: 3 })
    server.plan = ({ verb, body }) => {
      if (verb !== 'settle') return undefined
      const bad = body.items.findIndex((item: { delayMs?: number }) => item.delayMs === -1)
      return bad === -1
        ? { backMs: 10 }
        : { answer: problem(400, 'invalid_request', { field: `items[${bad}].delayMs` }) }
    }
    const calls = Promise.allSettled([
      rheo.ack(leases[0]!),
      rheo.nack(leases[1]!, { delayMs: -1 }),
      rheo.ack(leases[2]!),
    ])
    await clock.advance(100)
    expect((await calls).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
