import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../src/core/event.ts'
import { defaultGroupOptions } from '../../src/core/group.ts'
import { parseReceipt } from '../../src/core/lease-id.ts'
import type { Command, CommandName, CommandOut, SettleItem } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

const NOW_MS = Date.UTC(2026, 2, 15, 12)
const TOKENS = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(22))

function open() {
  const address = { tenant: 't', stream: 's', uid: 'u', partition: 1 }
  const machine = new PartitionMachine(openPartitionStore(openNodeSql(':memory:')), address)
  const answer = <N extends CommandName>(command: Command<N>) => machine.run(command, NOW_MS)
  const run = <N extends CommandName>(command: Command<N>): CommandOut<N> => {
    const given = answer(command)
    if (given.status !== 'done') throw new Error(JSON.stringify(given))
    return given.value
  }
  return { answer, run }
}

type Run = ReturnType<typeof open>['run']

/** Appends events whose payloads are about so many bytes. */
function append(run: Run, sizes: readonly number[]) {
  const lines = sizes.map((size) => {
    const parsed = parseEvent({ payload: { a: 'x'.repeat(size) } }, '')
    if (!parsed.ok) throw new Error(parsed.failure.detail)
    return parsed.value.line
  })
  const append = {
    lines: lines.join('\n'),
    count: sizes.length,
    ids: [],
    times: [],
    terms: new Uint32Array(),
    atMs: NOW_MS,
  }
  run({ type: 'append', append: { ...append, idempotency: null, expectedSequence: null } })
}

const install = (run: Run, uid = 'g', options = {}) =>
  run({
    type: 'installGroup',
    install: { uid, name: uid, revision: 1, options: { ...defaultGroupOptions, ...options }, start: 0, epoch: 0 },
  })

const fetch = (run: Run, token: string, limit: number, maxBytes = 8_388_608, group = 'g') => {
  const fetch = { group, limit, leaseMs: null, consumerId: null, token, maxBytes }
  const fetched = run({ type: 'fetch', fetch })
  const leases = JSON.parse(`[${fetched.leases}]`) as { sequence: number; leaseId: string; receipt: string }[]
  return { ...fetched, leases, sequences: leases.map(({ sequence }) => sequence) }
}

const ack = (leaseId: string, receipt: string | null = null): SettleItem => ({
  leaseId,
  receipt,
  outcome: 'ack',
  reason: null,
  delayMs: null,
  leaseMs: null,
})

describe('the byte bound of an answer', () => {
  it('S3.5 a fetch leases exactly what it returns, at least one however large', () => {
    const { run } = open()
    append(run, [3_000, 1_000, 1_000, 1_000])
    install(run)
    expect(fetch(run, TOKENS[0]!, 10, 100).sequences).toEqual([1])
    expect(run({ type: 'groupInfo', group: 'g' }).inFlight).toBe(1)
    expect(fetch(run, TOKENS[1]!, 10, 2_500).sequences).toEqual([2, 3])
    expect(run({ type: 'groupInfo', group: 'g' }).inFlight).toBe(3)
    expect(fetch(run, TOKENS[2]!, 10, 2_500).sequences).toEqual([4])
  })

  it('S3.5 the same where the bound falls into deliveries that are open again', () => {
    const { run } = open()
    append(run, [1_000, 1_000, 1_000, 1_000])
    install(run)
    const leases = fetch(run, TOKENS[0]!, 4).leases.map(({ leaseId }) => ({
      ...ack(leaseId),
      outcome: 'nack' as const,
    }))
    run({ type: 'settle', group: 'g', items: leases })
    expect(fetch(run, TOKENS[1]!, 10, 2_500).sequences).toEqual([1, 2])
    expect(run({ type: 'groupInfo', group: 'g' })).toMatchObject({ inFlight: 2, available: 2 })
    expect(fetch(run, TOKENS[2]!, 10, 1).sequences).toEqual([3])
  })

  it('a page of events ends at the bound and goes on behind it', () => {
    const { run } = open()
    append(run, [3_000, 1_000, 1_000])
    const read = (after: number, maxBytes: number) => run({ type: 'read', after, limit: 10, maxBytes })
    expect(read(0, 1)).toMatchObject({ count: 1, last: 1, highWatermark: 3 })
    expect(read(1, 2_500)).toMatchObject({ count: 2, last: 3 })
    expect(read(3, 1)).toMatchObject({ events: '', count: 0, last: 3 })
  })

  it('a page of dead letters ends at the bound and says that there is more', () => {
    const { run } = open()
    append(run, [1_000, 1_000, 1_000])
    install(run)
    const items = fetch(run, TOKENS[0]!, 3).leases.map(({ leaseId }) => ({
      ...ack(leaseId),
      outcome: 'reject' as const,
    }))
    run({ type: 'settle', group: 'g', items })
    const page = (after: number, maxBytes: number) =>
      run({ type: 'deadLetters', group: 'g', after, limit: 10, maxBytes })
    expect(page(0, 1)).toMatchObject({ deadLetters: [{ sequence: 1 }], more: true })
    expect(page(1, 2_500)).toMatchObject({ deadLetters: [{ sequence: 2 }, { sequence: 3 }], more: false })
  })
})

describe('S3.5 what is forged', () => {
  it('is stale: another sequence, another partition, another letter of the token', () => {
    const { run } = open()
    append(run, [1, 1, 1])
    install(run)
    const [lease] = fetch(run, TOKENS[0]!, 1).leases
    fetch(run, TOKENS[1]!, 1)
    const forged = [
      `1.2.${TOKENS[0]}`,
      `1.3.${TOKENS[0]}`,
      `0.1.${TOKENS[0]}`,
      `1.1.${TOKENS[1]}`,
      `1.1.${'a'.repeat(22)}`,
    ]
    const { results } = run({ type: 'settle', group: 'g', items: forged.map((leaseId) => ack(leaseId)) })
    expect(results).toEqual(forged.map(() => ({ ok: false, code: 'stale_lease' })))
    expect(run({ type: 'settle', group: 'g', items: [ack(lease!.leaseId)] }).results).toMatchObject([{ ok: true }])
  })

  it('S4.1 a receipt of a neighbouring claim or with another token is a mismatch and changes nothing', () => {
    const { run } = open()
    append(run, [1, 1])
    install(run)
    const [one] = fetch(run, TOKENS[0]!, 1).leases
    const [two] = fetch(run, TOKENS[1]!, 1).leases
    const { last } = parseReceipt(one!.receipt)!
    const receipts = [two!.receipt, one!.receipt.replace(TOKENS[0]!, TOKENS[2]!), `1.${last + 1}.9.${TOKENS[0]}`, '']
    const { results } = run({ type: 'settle', group: 'g', items: receipts.map((text) => ack(one!.leaseId, text)) })
    expect(results).toEqual(receipts.map(() => ({ ok: false, code: 'receipt_mismatch' })))
    expect(run({ type: 'settle', group: 'g', items: [ack(one!.leaseId, one!.receipt)] }).results).toMatchObject([
      { ok: true },
    ])
  })

  it('S3.1 lease and receipt of one group are nothing to another', () => {
    const { run } = open()
    append(run, [1])
    install(run, 'g')
    install(run, 'h')
    const [lease] = fetch(run, TOKENS[0]!, 1).leases
    fetch(run, TOKENS[1]!, 1, 1_000, 'h')
    expect(run({ type: 'settle', group: 'h', items: [ack(lease!.leaseId)] }).results).toMatchObject([
      { code: 'stale_lease' },
    ])
    const claims = { group: 'h', receipts: [lease!.receipt], outcome: 'ack', reason: null, delayMs: null } as const
    expect(run({ type: 'settleClaims', claims }).results).toMatchObject([{ code: 'stale_lease' }])
  })
})

describe('S3.2 a start for each partition', () => {
  const start = (sequences: Record<string, number>) => ({ kind: 'afterEach', sequences }) as const

  it('is that of this partition, 0 where the map does not name it', () => {
    const { run } = open()
    append(run, [1, 1])
    expect(run({ type: 'resolveStart', start: start({ '0': 9, '1': 2 }) })).toEqual({ start: 2 })
    expect(run({ type: 'resolveStart', start: start({ '0': 9 }) })).toEqual({ start: 0 })
  })

  it('beyond the high watermark is invalid_start by the number of the partition', () => {
    const { run, answer } = open()
    append(run, [1, 1])
    expect(answer({ type: 'resolveStart', start: start({ '1': 3 }) })).toMatchObject({
      status: 'refused',
      failure: { code: 'invalid_start', partitions: [1] },
    })
  })
})

describe('a group that is not here', () => {
  it('is moved for every command that names one: the caller asks the catalog', () => {
    const { run, answer } = open()
    append(run, [1])
    install(run, 'g')
    const claims = { group: 'x', receipts: [], outcome: 'ack', reason: null, delayMs: null } as const
    const fetch = { group: 'x', limit: 1, leaseMs: null, consumerId: null, token: TOKENS[0]!, maxBytes: 1 }
    const commands: Command[] = [
      { type: 'fetch', fetch },
      { type: 'settle', group: 'x', items: [] },
      { type: 'settleClaims', claims },
      { type: 'lag', group: 'x' },
      { type: 'holes', group: 'x', maxRanges: 1 },
      { type: 'groupInfo', group: 'x' },
      { type: 'leases', group: 'x', consumerId: null, after: 0, limit: 1 },
      { type: 'releaseConsumer', group: 'x', consumerId: 'c' },
      { type: 'deadLetters', group: 'x', after: 0, limit: 1, maxBytes: 1 },
    ]
    for (const command of commands) expect(answer(command), command.type).toEqual({ status: 'moved' })
  })
})
