import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Call, CallName, EventInput, Options, Out, Start } from '../model/calls.ts'
import { contents, defaultOptions, START_MS } from '../model/commands.ts'
import { MachineDriver } from '../model/machine-driver.ts'

const opened: MachineDriver[] = []
afterEach(() => {
  for (const driver of opened.splice(0)) driver.close()
})

function open(path?: string): MachineDriver {
  const driver = new MachineDriver(path)
  opened.push(driver)
  return driver
}

/** The value of an answer that must be one. */
function ask<N extends CallName>(driver: MachineDriver, call: Call<N>): Out<N> {
  const answer = driver.run(call as Call)
  if ('refused' in answer) throw new Error(JSON.stringify(answer.refused))
  return answer.value as Out<N>
}

const event = (id: string | null = null, content = 1): EventInput => ({
  id,
  timestampMs: null,
  content: contents[content]!,
})

function append(driver: MachineDriver, ...events: EventInput[]) {
  return ask(driver, { type: 'append', events, idempotencyKey: null, expectedSequence: null })
}

function group(driver: MachineDriver, options: Partial<Options> = {}, start: Start = { kind: 'earliest' }) {
  return ask(driver, { type: 'createGroup', group: 'g', start, options: { ...defaultOptions, ...options } })
}

const fetch = (driver: MachineDriver, limit: number, leaseMs: number | null = null) =>
  ask(driver, { type: 'fetch', group: 'g', limit, leaseMs, consumerId: null })

const lag = (driver: MachineDriver) => ask(driver, { type: 'lag', group: 'g' })

type Verb = 'ack' | 'nack' | 'reject' | 'release'
function settle(driver: MachineDriver, outcome: Verb, leases: readonly { claim: number; sequence: number }[]) {
  const items = leases.map((lease) => ({ lease, receipt: null, outcome, reason: null, delayMs: null }))
  return ask(driver, { type: 'settle', group: 'g', items }).results
}

const events = (count: number) => Array.from({ length: count }, () => event())

describe('the rules by their example', () => {
  it('S4.9 acks of 1, 3 and 4 leave the frontier at 1, and ack or reject of 2 moves it to 4 in one step', () => {
    for (const outcome of ['ack', 'reject'] as const) {
      const driver = open()
      append(driver, ...events(4))
      group(driver)
      const [one, two, three, four] = fetch(driver, 4).leases
      settle(driver, 'ack', [one!, three!, four!])
      expect(lag(driver)).toEqual({ frontier: 1, highWatermark: 4, lag: 3 })
      const holes = ask(driver, { type: 'holes', group: 'g', maxRanges: 10 })
      expect(holes.holes).toEqual([{ first: 2, last: 2, state: 'leased', attempt: 1 }])
      expect(holes.blockedBy).toMatchObject({ sequence: 2, expiresAtMs: two!.expiresAtMs })
      settle(driver, outcome, [two!])
      expect(lag(driver)).toEqual({ frontier: 4, highWatermark: 4, lag: 0 })
    }
  })

  it('S8.1 a group started after N has its frontier there and reaches lag 0', () => {
    const driver = open()
    append(driver, ...events(5))
    group(driver, {}, { kind: 'after', sequence: 3 })
    expect(lag(driver)).toEqual({ frontier: 3, highWatermark: 5, lag: 2 })
    settle(driver, 'ack', fetch(driver, 10).leases)
    expect(lag(driver)).toEqual({ frontier: 5, highWatermark: 5, lag: 0 })
  })

  it('S8.2 a start time in the future begins at the end and replays nothing', () => {
    const driver = open()
    append(driver, ...events(5))
    group(driver, {}, { kind: 'at', timeMs: START_MS + 1 })
    expect(lag(driver).lag).toBe(0)
    append(driver, event())
    expect(fetch(driver, 10).leases.map(({ sequence }) => sequence)).toEqual([6])
  })

  it('S8.5 an event that kills its worker dead-letters when its attempts are used up', () => {
    const driver = open()
    append(driver, event(), event())
    group(driver, { maxAttempts: 3, leaseMs: 100 })
    for (const attempt of [1, 2, 3]) {
      expect(fetch(driver, 1).leases).toMatchObject([{ sequence: 1, attempt }])
      driver.advance(100)
    }
    expect(fetch(driver, 10).leases).toMatchObject([{ sequence: 2, attempt: 1 }])
    const { deadLetters } = ask(driver, { type: 'deadLetters', group: 'g', pageSize: 10 })
    const dead = { sequence: 1, cause: 'lease_expired', attempt: 3, reason: null, deadLetteredAtMs: START_MS + 300 }
    expect(deadLetters).toMatchObject([dead])
    expect(lag(driver).frontier).toBe(1)
  })

  it('S8.6 two equal ids in a batch are one event, and lag reaches 0', () => {
    const driver = open()
    group(driver)
    const answer = append(driver, event('a'), event('a'), event('b'))
    expect(answer.events.map(({ duplicate, event: { sequence } }) => [duplicate, sequence])).toEqual([
      [false, 1],
      [true, 1],
      [false, 2],
    ])
    settle(driver, 'ack', fetch(driver, 10).leases)
    expect(lag(driver)).toEqual({ frontier: 2, highWatermark: 2, lag: 0 })
  })

  it('S8.7 of two late workers none is told ok, and the delivery of the third stays its own', () => {
    const driver = open()
    append(driver, event())
    group(driver, { leaseMs: 100 })
    const first = fetch(driver, 1).leases
    driver.advance(100)
    const second = fetch(driver, 1).leases
    driver.advance(100)
    const third = fetch(driver, 1).leases
    for (const outcome of ['ack', 'nack', 'reject', 'release'] as const) {
      expect(settle(driver, outcome, [...first, ...second])).toEqual(Array(2).fill({ ok: false, code: 'stale_lease' }))
    }
    expect(settle(driver, 'ack', third)).toMatchObject([{ ok: true, state: 'acked' }])
  })

  it('S8.8 of 10 000 events with every second one acked none comes back after a restart', () => {
    const directory = mkdtempSync(join(tmpdir(), 'rheo-rules-'))
    const driver = open(join(directory, 'partition.sqlite'))
    group(driver, { leaseMs: 1_000 })
    for (let batch = 0; batch < 10; batch++) {
      append(driver, ...events(1_000))
      settle(
        driver,
        'ack',
        fetch(driver, 1_000).leases.filter(({ sequence }) => sequence % 2 === 0),
      )
    }
    driver.restart()
    expect(lag(driver)).toEqual({ frontier: 0, highWatermark: 10_000, lag: 10_000 })
    driver.advance(1_000)
    const again = Array.from({ length: 6 }, () => fetch(driver, 1_000).leases).flat()
    expect(again.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 5_000 }, (_, index) => 2 * index + 1))
    expect(again.every(({ attempt }) => attempt === 2)).toBe(true)
    settle(driver, 'ack', again)
    expect(lag(driver).lag).toBe(0)
    rmSync(directory, { recursive: true })
  })

  it('S8.13 a bad item fails alone', () => {
    const driver = open()
    append(driver, ...events(3))
    group(driver)
    const [one, two, three] = fetch(driver, 3).leases
    expect(settle(driver, 'ack', [one!, one!, two!, { claim: 0, sequence: 3 }]).map(({ ok }) => ok)).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(settle(driver, 'ack', [three!])).toEqual([{ ok: false, code: 'stale_lease' }])
  })
})

describe('S2.7 idempotency keys', () => {
  const request = (key: string, count: number): Call<'append'> => ({
    type: 'append',
    events: events(count),
    idempotencyKey: key,
    expectedSequence: null,
  })

  it('a repeat within ten minutes answers the originals, after evictions and among many other keys', () => {
    const driver = open()
    const first = ask(driver, request('the key', 2))
    for (let minute = 1; minute < 10; minute++) {
      driver.advance(60_000)
      for (let index = 0; index < 20; index++) ask(driver, request(`${minute}/${index}`, 1))
      if (minute % 3 === 0) driver.evict()
      expect(ask(driver, request('the key', 2))).toEqual({
        events: first.events.map(({ event }) => ({ duplicate: true, event })),
      })
    }
    driver.advance(59_999)
    driver.evict()
    expect(ask(driver, request('the key', 2)).events.every(({ duplicate }) => duplicate)).toBe(true)
    expect(driver.run(request('the key', 3))).toEqual({ refused: { code: 'id_conflict', idempotencyKey: 'the key' } })
  })
})

describe('S9.1 time never goes back for what has been applied', () => {
  it('a clock that goes back changes no answer: the last time that was seen counts', () => {
    const driver = open()
    append(driver, event(), event())
    group(driver, { leaseMs: 100 })
    const early = fetch(driver, 1).leases
    driver.advance(100)
    expect(lag(driver).lag).toBe(2)
    driver.advance(-50)
    expect(settle(driver, 'ack', early)).toEqual([{ ok: false, code: 'stale_lease' }])
    expect(fetch(driver, 1).leases).toMatchObject([
      { sequence: 1, attempt: 2, leasedAtMs: START_MS + 100, expiresAtMs: START_MS + 200 },
    ])
  })

  it('what has expired stays so over an eviction and an earlier clock', () => {
    const driver = open()
    append(driver, event())
    group(driver, { leaseMs: 100, maxAttempts: 1 })
    const early = fetch(driver, 1).leases
    driver.advance(100)
    ask(driver, { type: 'expire' })
    driver.evict()
    driver.advance(-50)
    expect(settle(driver, 'ack', early)).toEqual([{ ok: false, code: 'stale_lease' }])
    expect(ask(driver, { type: 'deadLetters', group: 'g', pageSize: 1 }).deadLetters).toHaveLength(1)
  })
})

describe('S4.3 the alarm', () => {
  it('is wanted at the earliest due time, and not any more when nothing waits', () => {
    const driver = open()
    append(driver, ...events(3))
    group(driver, { leaseMs: 100 })
    expect(driver.nextDueMs()).toBe(null)
    const first = fetch(driver, 1, 200).leases
    expect(driver.nextDueMs()).toBe(START_MS + 200)
    const second = fetch(driver, 1).leases
    expect(driver.nextDueMs()).toBe(START_MS + 100)
    settle(driver, 'ack', second)
    driver.evict()
    expect(driver.nextDueMs()).toBe(START_MS + 200)
    settle(driver, 'ack', first)
    driver.advance(200)
    ask(driver, { type: 'expire' })
    expect(driver.nextDueMs()).toBe(null)
    driver.evict()
    expect(driver.nextDueMs()).toBe(null)
  })
})
