import fc from 'fast-check'
import {
  contents,
  type Step,
  type StepEvent,
  type StepEventId,
  type StepItem,
  type StepLease,
  type StepReceipt,
  type StepSelector,
  type StepStart,
} from './commands.ts'
import type { Script } from './driver.ts'

/** One of several choices, each with its weight; the first is the simplest. */
const choose = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Null in so many of a hundred cases. */
export const orNull = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  choose<T | null>([percent, fc.constant(null)], [100 - percent, arbitrary])

const between = (min: number, max: number) => fc.integer({ min, max })

/** Records of plain objects: RPC takes none without a prototype, and a script is easier to read without them. */
export const record = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(members, { noNullPrototype: true }) as fc.Arbitrary<T>

const group = choose([60, fc.nat(2)], [1, fc.constant(-1)])
const consumer = orNull(30, fc.nat(2))
const reason = orNull(50, fc.constantFrom('', 'one', '"two\\\u0000\u{1f600}'))
/** Short beside most leases, so that delays end while leases run. */
const delayMs = orNull(40, choose([1, fc.constant(0)], [4, between(1, 60)]))
const leaseMs = orNull(50, choose([1, between(10, 60)], [2, between(100, 400)]))
const pageSize = fc.constantFrom(1, 2, 3, 1_000)

const plainEvent: fc.Arbitrary<StepEvent> = record({
  id: orNull(95, between(8, 80)),
  position: fc.constant(null),
  timestamp: orNull(70, between(-50, 300)),
  content: fc.nat(contents.length - 1),
})
const namedEvent: fc.Arbitrary<StepEvent> = record({
  id: orNull(20, fc.nat(7)),
  position: orNull(80, between(-6, 2)),
  timestamp: orNull(70, between(0, 3)),
  content: fc.nat(contents.length - 1),
})
const appendParts = {
  events: choose(
    [4, fc.array(plainEvent, { minLength: 1, maxLength: 8, size: 'max' })],
    [1, fc.array(namedEvent, { minLength: 1, maxLength: 3, size: 'max' })],
  ),
  key: orNull(60, fc.nat(5)),
  expected: orNull(85, fc.constantFrom(0, 0, 0, -1, 1)),
}
/** Clocks of producers differ a little, and now and then one is wrong by an hour. */
const agoMs = choose([8, fc.constant(0)], [4, between(1, 5)], [1, fc.constant(3_600_000)])
const append = record(appendParts)
const appendOfMany = record({ ...appendParts, agoMs })

const start: fc.Arbitrary<StepStart> = choose<StepStart>(
  [2, fc.constantFrom<StepStart>({ kind: 'earliest' }, { kind: 'latest' })],
  [2, record({ kind: fc.constant('after' as const), below: between(-1, 12) })],
  [1, record({ kind: fc.constant('at' as const), time: between(-60, 400) })],
  [2, record({ kind: fc.constant('atEvent' as const), event: fc.nat(60), offMs: fc.constantFrom(0, 0, -1, 1) })],
)
const backoff = record({ baseMs: between(1, 20), factor: fc.constantFrom(1, 1.5, 2), maxMs: between(1, 50) })
const patch = fc.record(
  {
    maxAttempts: between(1, 4),
    leaseMs: between(10, 300),
    maxInFlight: orNull(60, between(1, 12)),
    backoff: orNull(40, backoff),
    paused: choose([9, fc.constant(false)], [1, fc.constant(true)]),
  },
  { requiredKeys: [], noNullPrototype: true },
)

const eventId = choose<StepEventId>(
  [3, record({ event: fc.nat(60) })],
  [1, record({ position: between(-1, 10) })],
  [1, record({ id: fc.nat(7) })],
)
const selector = choose<StepSelector>(
  [3, record({ kind: fc.constant('after' as const), below: between(-1, 12) })],
  [1, record({ kind: fc.constant('at' as const), time: between(-60, 400) })],
  [2, record({ kind: fc.constant('atEvent' as const), event: fc.nat(60), offMs: fc.constantFrom(0, 0, -1, 1) })],
  [
    3,
    record({
      kind: fc.constant('type' as const),
      content: fc.nat(contents.length - 1),
      limit: orNull(50, between(1, 5)),
    }),
  ],
)

const lease = choose<StepLease>(
  [20, record({ live: fc.nat(30) })],
  [3, record({ ever: fc.nat(200) })],
  [1, record({ receiptOf: fc.nat(5) })],
  [1, record({ text: fc.constantFrom('', 'x', '3.1.AAAAAAAAAAAAAAAAAAAAAA', '3.1.2.AAAAAAAAAAAAAAAAAAAAAA') })],
)
const receipt = choose<StepReceipt | null>(
  [10, fc.constant(null)],
  [4, fc.constant('own')],
  [1, record({ claim: fc.nat(5) })],
  [1, record({ leaseOf: fc.nat(200) })],
  [1, record({ text: fc.constantFrom('', 'x', '3.1.9.AAAAAAAAAAAAAAAAAAAAAA') })],
)
const claim = choose<StepReceipt>(
  [12, record({ claim: fc.nat(8) })],
  [1, record({ claimOfAny: fc.nat(8) })],
  [1, receipt.map((some) => some ?? 'own')],
)
const how = { outcome: fc.constantFrom('ack' as const, 'ack', 'nack', 'nack', 'reject', 'release'), reason, delayMs }
const item: fc.Arbitrary<StepItem> = record({ lease, receipt, ...how })
const few = { minLength: 1, maxLength: 4, size: 'max' } as const

const of = <D extends Step['do'], M>(name: D, members: { [K in keyof M]: fc.Arbitrary<M[K]> }): fc.Arbitrary<Step> =>
  record({ do: fc.constant(name), ...members }) as unknown as fc.Arbitrary<Step>

/**
 * Weighted so that runs of deliveries break into pieces: small fetches, settles in any order, leases and delays that
 * end at different times, and the clock moved to the very moment at which something is due.
 */
const stepChoices: [number, fc.Arbitrary<Step>][] = [
  [7, append.map(({ events }): Step => ({ do: 'append', events, key: null, expected: null }))],
  [4, append.map((request): Step => ({ do: 'append', ...request }))],
  [2, of('appends', { requests: fc.array(appendOfMany, few) })],
  [2, of('appendAgain', { append: fc.nat(20) })],
  [1, of('createGroup', { start, options: patch })],
  [2, of('patchGroup', { group, patch })],
  [1, of('repeatCreate', { group })],
  [24, of('fetch', { group, limit: fc.constantFrom(1, 1, 2, 2, 3, 5, 20), leaseMs, consumer })],
  [20, of('settle', { group, items: fc.array(item, few) })],
  [3, of('settleEvery', { group, stride: fc.constantFrom(1, 2, 2, 3), backwards: fc.boolean(), ...how })],
  [5, of('renew', { group, items: fc.array(record({ lease, receipt, leaseMs }), few) })],
  [
    6,
    of('settleClaims', {
      group,
      receipts: fc.array(claim, few),
      outcome: fc.constantFrom('ack', 'nack', 'reject'),
      reason,
      delayMs,
    }),
  ],
  [1, of('releaseConsumer', { group, consumer: fc.nat(2) })],
  [4, of('advance', { ms: choose([9, between(1, 30)], [1, between(100, 400)]) })],
  [6, of('advanceToDue', { offMs: fc.constantFrom(0, 0, -1, 1) })],
  [2, fc.constantFrom<Step>({ do: 'expire' }, { do: 'evict' }, { do: 'status' })],
  [1, of('read', { after: fc.nat(30), limit: between(1, 10) })],
  [1, of('resolveStart', { start })],
  [2, of('lag', { group })],
  [2, of('holes', { group, maxRanges: fc.constantFrom(1, 2, 3, 1_000) })],
  [1, of('groupInfo', { group })],
  [1, of('leases', { group, consumer, pageSize })],
  [1, of('deadLetters', { group, pageSize })],
]

/** What takes back: rare, so that most scripts come far before it. */
const reopeningChoices: [number, fc.Arbitrary<Step>][] = [
  [
    2,
    of('replay', {
      group,
      selector,
      resetAttempts: fc.boolean(),
      dryRun: choose([3, fc.constant(false)], [1, fc.constant(true)]),
    }),
  ],
  [2, of('redrive', { group, events: orNull(30, fc.array(eventId, few)) })],
  [1, of('reset', { group, start })],
  [1, choose<Step>([5, of('event', { event: eventId })], [1, of('removeGroup', { group })])],
]

const anyOf = (choices: [number, fc.Arbitrary<Step>][]): fc.Arbitrary<Step> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const restart = fc.constant<Step>({ do: 'restart' })
const kinds = {
  forward: anyOf(stepChoices),
  reopening: anyOf([...stepChoices, ...reopeningChoices]),
  restarting: anyOf([...stepChoices, ...reopeningChoices, [3, restart]]),
}

/** Steps of one kind (see `scripts`). */
export const anyStep = (kind: keyof typeof kinds): fc.Arbitrary<Step> => kinds[kind]

const plainEvents = (count: number): Step => ({ do: 'appendMany', count })
const firstGroup: Step = { do: 'createGroup', start: { kind: 'earliest' }, options: { maxAttempts: 2 } }
/** What most steps mean nothing without. */
export const opening: readonly Step[] = [plainEvents(6), firstGroup]

/**
 * Scripts of up to `maxSteps` steps: `forward` ones never take back what has been settled, `reopening` ones replay,
 * redrive and reset, `restarting` ones restart as well. Most steps mean nothing without the first two.
 */
export const scripts = (maxSteps: number, kind: keyof typeof kinds): fc.Arbitrary<Script> =>
  record({
    steps: fc.array(kinds[kind], { maxLength: maxSteps, size: 'max' }),
    lookEvery: fc.constantFrom(2, 7, 7, 20, 1_000, 1_000, 1_000, 1_000),
  }).map(({ steps, lookEvery }) => ({ steps: [...opening, ...steps], lookEvery }))

const wideStep = anyOf([
  [6, of('fetch', { group, limit: fc.constantFrom(1_000, 1_000, 300, 7), leaseMs, consumer })],
  [8, of('settleEvery', { group, stride: fc.constantFrom(1, 2, 2, 3, 5), backwards: fc.boolean(), ...how })],
  [
    3,
    of('settleClaims', {
      group,
      receipts: fc.array(claim, few),
      outcome: fc.constantFrom('ack', 'nack', 'reject'),
      reason,
      delayMs,
    }),
  ],
  [4, of('advanceToDue', { offMs: fc.constantFrom(0, 0, -1, 1) })],
  [2, of('advance', { ms: between(1, 100) })],
  [2, of('patchGroup', { group, patch })],
  [1, of('createGroup', { start, options: patch })],
  [1, of('releaseConsumer', { group, consumer: fc.nat(2) })],
  [1, of('holes', { group, maxRanges: fc.constantFrom(10, 255, 256, 257, 1_000) })],
  [1, of('leases', { group, consumer, pageSize: fc.constantFrom(100, 1_000) })],
  [1, of('deadLetters', { group, pageSize: fc.constantFrom(100, 1_000) })],
  [1, fc.constantFrom<Step>({ do: 'expire' }, { do: 'evict' })],
  ...reopeningChoices,
])

/** Scripts over thousands of events and of pieces: beyond the bounds that an implementation works in at a time. */
export const wideScripts = (maxSteps: number): fc.Arbitrary<Script> =>
  record({ steps: fc.array(wideStep, { maxLength: maxSteps, size: 'max' }), lookEvery: fc.constantFrom(9, 1_000) }).map(
    ({ steps, lookEvery }) => {
      const first = [plainEvents(1_000), plainEvents(1_000), plainEvents(1_000), firstGroup]
      return { steps: [...first, ...steps], lookEvery }
    },
  )
