import { describe, expect, test } from 'vitest'
import { ack, retry } from '../../src/client/index.ts'
import { drained, newWorld } from './consumer-world.ts'
import { problem } from './fake-server.ts'

/* S7: the client's rule after a failed settle. */

const leftToExpire = [
  [504, 'ambiguous'],
  [503, 'backend_unavailable'],
  [503, 'overloaded'],
  [429, 'rate_limited'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
] as const
const lost = [
  [409, 'stale_lease'],
  [409, 'receipt_mismatch'],
  [404, 'stream_not_found'],
  [404, 'group_not_found'],
] as const
const definite = [
  [500, 'failed'],
  [400, 'invalid_request'],
] as const

describe('S7: after a failed settle', () => {
  test.each(leftToExpire)('%i %s: nothing, and the lease expires', async (status, code) => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ === 0 ? { answer: problem(status, code) } : undefined)
    const consumer = await consume({ handler: () => ack, maxDemand: 1 })
    await clock.advance(9_999)
    expect(server.of('settle')).toHaveLength(1)
    expect(server.of('renew')).toEqual([])
    // Until then it counts against what may be held.
    expect(consumer.held).toBe(1)
    expect(told('lost')).toEqual([])
    await clock.advance(10_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2 })
    expect(told('error')[0]).toMatchObject({ during: 'settle', error: { code } })
    await drained(clock, consumer)
  })

  test('no answer: nothing, and an ack that did happen stays', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ === 0 ? { breaks: 'after' } : undefined)
    const consumer = await consume({ handler: () => ack })
    await clock.advance(30_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 1 })
    const outcomes = server
      .of('settle')
      .flatMap(({ body }) => body.items.map((item: { outcome: string }) => item.outcome))
    expect(outcomes).toEqual(['ack'])
    await drained(clock, consumer)
  })

  test.each(lost)('%i %s: lost, and dropped', async (status, code) => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ === 0 ? { answer: problem(status, code) } : undefined)
    const consumer = await consume({ handler: () => ack })
    await clock.advance(0)
    expect(told('lost')).toMatchObject([{ cause: code }])
    expect(consumer.held).toBe(0)
    await clock.advance(20_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2 })
    await drained(clock, consumer)
  })

  test.each(definite)('%i %s: after a failed ack nack once', async (status, code) => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ === 0 ? { answer: problem(status, code) } : undefined)
    const consumer = await consume({ handler: () => ack })
    await clock.advance(0)
    await clock.advance(5_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2 })
    expect(told('retried')).toMatchObject([{ reason: `the ack failed: ${code}` }])
    await drained(clock, consumer)
  })

  test.each(definite)('%i %s: the nack is not followed by another, and a failed nack expires', async (status, code) => {
    const { clock, server, consume } = newWorld()
    server.append(2)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ < 2 ? { answer: problem(status, code) } : undefined)
    const consumer = await consume({
      concurrency: 2,
      handler: (event, { attempt }) => (event.sequence === 2 && attempt === 1 ? retry('no') : ack),
    })
    await clock.advance(9_900)
    const outcomes = server.of('settle').map(({ body }) => body.items.map((item: { outcome: string }) => item.outcome))
    expect(outcomes.flat().sort()).toEqual(['ack', 'nack', 'nack'])
    expect(server.states).toEqual({ leased: 2 })
    await clock.advance(10_000)
    expect(server.states).toEqual({ acked: 2 })
    await drained(clock, consumer)
  })

  test('S8.13: each item by its own code, whatever its neighbours got', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(3)
    let settles = 0
    server.plan = ({ verb, body }) => {
      if (verb !== 'settle' || settles++ > 0) return undefined
      const results = body.items.map(({ leaseId }: { leaseId: string }, index: number) => ({
        leaseId,
        ok: false,
        code: ['ambiguous', 'stale_lease', 'failed'][index],
      }))
      return { answer: { status: 200, body: { results, settled: 0, failed: 3 } } }
    }
    const consumer = await consume({ concurrency: 3, handler: () => ack })
    await clock.advance(20)
    expect(told('lost').map(({ lease }) => lease.sequence)).toEqual([2])
    expect(told('retried').map(({ lease }) => lease.sequence)).toEqual([3])
    await clock.advance(30_000)
    expect(server.states).toEqual({ acked: 3 })
    await drained(clock, consumer)
  })
})
