import { describe, expect, it } from 'vitest'
import { partitionStub } from '../../durable-objects/stubs.ts'
import type { GroupOptions } from '../../src/core/group.ts'
import type { Address, Command } from '../../src/core/partition/commands.ts'
import { addressOf, append, bindings, createGroup, createStream, fetchLeases, settle } from './objects.ts'

const line = '{"type":"t","key":null,"payload":{"n":1},"metadata":{}}'

/** What one command costs: rows read and written. */
async function costOf(
  address: Address,
  command: Command,
  testNowMs: number | null = null,
): Promise<[read: number, written: number]> {
  const { answer, cost } = await partitionStub(bindings, address).run(address, command, testNowMs)
  expect(answer.status).toBe('done')
  return [cost.rowsRead, cost.rowsWritten]
}

const appendOf = (count: number, more = {}): Command => ({
  type: 'append',
  append: {
    lines: Array.from({ length: count }, () => line).join('\n'),
    count,
    ids: [],
    terms: new Uint32Array(),
    times: [],
    atMs: Date.now(),
    idempotency: null,
    expectedSequence: null,
    ...more,
  },
})

const fetchOf = (group: string, limit: number, leaseMs = 60_000): Command => ({
  type: 'fetch',
  fetch: { group, limit, leaseMs, consumerId: null, token: 'A'.repeat(22), maxBytes: 8_000_000 },
})

const ackOf = (group: string, sequences: readonly number[]): Command => ({
  type: 'settle',
  group,
  items: sequences.map((sequence) => ({
    leaseId: `0.${sequence}.${'A'.repeat(22)}`,
    receipt: null,
    outcome: 'ack',
    reason: null,
    delayMs: null,
    leaseMs: null,
  })),
})

async function partition(options: Partial<GroupOptions> = {}) {
  const stream = await createStream()
  const group = await createGroup(stream, 'g', options)
  return { address: addressOf(stream), group }
}

describe('rows written per operation are what the cost model says', () => {
  it('an append is one row, whatever its events, its idempotency key included', async () => {
    const { address } = await partition()
    expect((await costOf(address, appendOf(1)))[1]).toBe(1)
    expect((await costOf(address, appendOf(100)))[1]).toBe(1)
    expect((await costOf(address, appendOf(100, { idempotency: { key: 'k', fingerprint: 'f' } })))[1]).toBe(1)
    expect((await costOf(address, appendOf(100, { idempotency: { key: 'k', fingerprint: 'f' } })))[1]).toBe(0)
  })

  it('a chosen id is one row more', async () => {
    const { address } = await partition()
    expect((await costOf(address, appendOf(2, { ids: [[0, 'a']] })))[1]).toBe(2)
  })

  it('an append of many events is one row for each 64 KiB', async () => {
    const { address } = await partition()
    const bytes = 1_000 * (line.length + 1)
    expect((await costOf(address, appendOf(1_000)))[1]).toBe(Math.ceil(bytes / 65_536))
  })

  it('a fetch is two rows, one more when it arms the alarm; an ack of all of it is one', async () => {
    const { address, group } = await partition()
    await append(address, 300)
    expect((await costOf(address, fetchOf(group, 100)))[1]).toBe(3)
    expect((await costOf(address, ackOf(group, range(1, 100))))[1]).toBe(1)
    expect((await costOf(address, fetchOf(group, 100)))[1]).toBe(2)
    expect((await costOf(address, ackOf(group, range(101, 200))))[1]).toBe(1)
  })

  it('the acks of a claim one by one are at most two rows each', async () => {
    const { address, group } = await partition()
    await append(address, 100)
    await costOf(address, fetchOf(group, 100))
    for (const sequence of shuffled(range(1, 100))) {
      expect((await costOf(address, ackOf(group, [sequence])))[1]).toBeLessThanOrEqual(2)
    }
  })

  it('S4.2 a claim that expires is two rows, whatever its deliveries, and nothing is written before', async () => {
    const { address, group } = await partition()
    const startMs = Date.now()
    await costOf(address, appendOf(1_000), startMs)
    await costOf(address, fetchOf(group, 1_000, 60_000), startMs)
    expect((await costOf(address, { type: 'expire' }, startMs + 59_999))[1]).toBe(0)
    expect((await costOf(address, { type: 'expire' }, startMs + 60_000))[1]).toBe(2)
    expect((await costOf(address, { type: 'expire' }, startMs + 60_001))[1]).toBe(0)
  })

  it('S4.4 a claim that expires for the last time is two rows, and one more for each dead letter', async () => {
    const { address, group } = await partition({ maxAttempts: 1 })
    const startMs = Date.now()
    await costOf(address, appendOf(100), startMs)
    await costOf(address, fetchOf(group, 100, 60_000), startMs)
    expect((await costOf(address, { type: 'expire' }, startMs + 60_000))[1]).toBe(102)
  })

  it('an empty fetch and every read write nothing', async () => {
    const { address, group } = await partition()
    await append(address, 10)
    await costOf(address, fetchOf(group, 10))
    const reads: Command[] = [
      fetchOf(group, 10),
      { type: 'status' },
      { type: 'read', after: 0, limit: 10, maxBytes: 1_000 },
      { type: 'lag', group },
      { type: 'holes', group, maxRanges: 10 },
      { type: 'groupInfo', group },
      { type: 'metrics' },
      { type: 'leases', group, consumerId: null, after: 0, limit: 10 },
      { type: 'deadLetters', group, after: 0, limit: 10, maxBytes: 1_000 },
    ]
    for (const command of reads) expect((await costOf(address, command))[1], command.type).toBe(0)
  })

  it('S4.10 lag reads as many rows from 2 500 open runs as from one', async () => {
    const { address, group } = await partition()
    for (let batch = 0; batch < 5; batch++) await append(address, 1_000)
    const few = await costOf(address, { type: 'lag', group })
    for (let batch = 0; batch < 5; batch++) {
      const leases = await fetchLeases(address, group, 1_000, 3_600_000)
      await settle(
        address,
        group,
        leases.filter(({ sequence }) => sequence % 2 === 0),
        'ack',
      )
    }
    const many = await costOf(address, { type: 'lag', group })
    expect(many[0]).toBeLessThanOrEqual(few[0] + 1)
    expect(many[0]).toBeLessThanOrEqual(10)
  })

  it('metrics read as many rows from 2 500 open runs as from one', async () => {
    const { address, group } = await partition()
    for (let batch = 0; batch < 5; batch++) await append(address, 1_000)
    await costOf(address, { type: 'metrics' })
    const few = await costOf(address, { type: 'metrics' })
    for (let batch = 0; batch < 5; batch++) {
      const leases = await fetchLeases(address, group, 1_000, 3_600_000)
      await settle(
        address,
        group,
        leases.filter(({ sequence }) => sequence % 2 === 0),
        batch % 2 === 0 ? 'reject' : 'ack',
      )
    }
    const many = await costOf(address, { type: 'metrics' })
    expect(many[0]).toBeLessThanOrEqual(few[0] + 1)
    expect(many[0]).toBeLessThanOrEqual(16)
    expect(many[1]).toBe(0)
  })

  it('metrics read at most eight rows for each further group, once an object knows them', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    await append(address, 10)
    await costOf(address, { type: 'metrics' })
    const none = await costOf(address, { type: 'metrics' })
    for (let count = 0; count < 20; count++) await createGroup(stream, `g${count}`)
    await costOf(address, { type: 'metrics' })
    const twenty = await costOf(address, { type: 'metrics' })
    expect(twenty[0] - none[0]).toBeLessThanOrEqual(20 * 8)
  })
})

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** A fixed disorder: 37 and 100 share no divisor. */
const shuffled = (numbers: readonly number[]): number[] => numbers.map((_, at) => numbers[(at * 37) % numbers.length]!)
