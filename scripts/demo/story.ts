import { type Api, type Json, promised } from './api.ts'
import { blocker, fetchAll, lagOf, leaseOf, pick, printLag, receiptsOf, sequenceOf } from './calls.ts'
import { heading, say, strip, table } from './print.ts'

const stream = '/v1/streams/market-events'
const risk = `${stream}/groups/risk`
const surveillance = `${stream}/groups/surveillance`
const leaseMs = 5_000

/** The rates of one morning: EUR-EURIBOR-6M four times, USD-SOFR and NOK-NIBOR-3M twice, GBP-SONIA once. */
const rates: [key: string, rate: number][] = [
  ['EUR-EURIBOR-6M', 2.9],
  ['USD-SOFR', 4.31],
  ['EUR-EURIBOR-6M', 2.91],
  ['NOK-NIBOR-3M', 4.52],
  ['GBP-SONIA', 4.21],
  ['EUR-EURIBOR-6M', 2.88],
  ['USD-SOFR', 4.3],
  ['EUR-EURIBOR-6M', 2.93],
  ['NOK-NIBOR-3M', 4.5],
]

/** Plays the story, step by step; each step takes up what the one before left behind. */
export async function play(api: Api): Promise<void> {
  await createStream(api)
  const partition = await appendRates(api)
  const stale = await readIndependently(api)
  const leases = await outliveWorker(api, stale)
  await leaveHole(api, partition, leases)
  await fillHole(api, partition, leases)
  await buryPoison(api, partition)
  await readAgain(api, partition)
}

async function createStream(api: Api): Promise<void> {
  heading(1, 'A stream of four partitions')
  say('A stream is an append-only log. Each of its partitions is one Durable Object with its own SQLite.')
  const body = { name: 'market-events', partitionCount: 4 }
  const made = await api.call('POST', '/v1/streams', { body, expect: 201, show: pick('name', 'partitionCount') })
  promised('the stream has four partitions', made.partitionCount, 4)
}

/** Appends the rates and answers the partition of EUR-EURIBOR-6M. */
async function appendRates(api: Api): Promise<number> {
  heading(2, 'The key decides the partition')
  say('Nine events in one call. Sequences count per partition; there is no order across partitions.')
  const events = rates.map(([key, rate]) => ({ type: 'curve_update', key, payload: { rate } }))
  const answer = await api.call('POST', `${stream}/events`, { body: { events }, expect: 201 })
  const keys = [...new Set(rates.map(([key]) => key))]
  const byKey = keys.map((key): [string, Json[]] => [key, answer.events.filter((event: Json) => event.key === key)])
  table(
    ['key', 'partition', 'sequences'],
    byKey.map(([key, own]) => [key, own[0].partition, own.map((event) => event.sequence).join(' ')]),
  )
  const partitionsPerKey = byKey.map(([, own]) => new Set(own.map((event) => event.partition)).size)
  promised('every key kept to one partition', partitionsPerKey, [1, 1, 1, 1])
  const partition: number = byKey.find(([key]) => key === 'EUR-EURIBOR-6M')![1][0].partition
  const sequences = answer.events.filter((event: Json) => event.partition === partition).map(sequenceOf)
  promised(`sequences in partition ${partition} count 1 to 4 without a gap`, sequences, [1, 2, 3, 4])
  return partition
}

/** Two groups fetch everything; surveillance acks. Answers the leases that worker risk-1 holds. */
async function readIndependently(api: Api): Promise<Json[]> {
  heading(3, 'Two groups read the same events, each at its own pace')
  say(
    'A group has its own progress over the stream. A fetch leases events to one worker: until the',
    'lease ends, that worker alone may settle them.',
  )
  const settings = { name: 'risk', leaseMs, maxAttempts: 3 }
  await api.call('POST', `${stream}/groups`, {
    body: settings,
    expect: 201,
    show: pick('name', 'leaseMs', 'maxAttempts'),
  })
  await api.call('POST', `${stream}/groups`, { body: { name: 'surveillance' }, expect: 201, show: pick('name') })

  const held = await fetchAll(api, risk, 'risk-1')
  const watched = await fetchAll(api, surveillance, 'watch-1')
  const ids = (leases: Json[]) => leases.map((lease) => lease.eventId).sort()
  promised('both groups got the same nine events', [held.length, ids(watched)], [9, ids(held)])

  say('', 'Surveillance acks all it holds, by the receipts of its fetch: one per partition.')
  const body = { receipts: receiptsOf(watched) }
  const acked = await api.call('POST', `${surveillance}/ack`, { body, expect: 200, show: pick('settled', 'failed') })
  promised('all receipts were settled', [acked.settled, acked.failed], [body.receipts.length, 0])
  const lags = [(await lagOf(api, surveillance)).lag, (await lagOf(api, risk)).lag]
  promised('surveillance has caught up (lag 0), risk has not moved (lag 9)', lags, [0, 9])
  return held
}

/** Lets the leases of risk-1 expire, fetches again as risk-2, and has risk-1 come back too late. */
async function outliveWorker(api: Api, stale: Json[]): Promise<Json[]> {
  heading(4, 'A worker dies with its leases in hand')
  say('risk-1 crashed after its fetch. Until its leases of 5 s end, nobody else gets these events.')
  const body = { consumerId: 'risk-2', limit: 100 }
  const early = await api.call('POST', `${risk}/fetch`, { body, expect: 200, show: pick('leases', 'reason') })
  promised('risk-2 gets nothing yet, and hears why', early, { leases: [], reason: 'all_leased' })

  api.advance(leaseMs + 1_000)
  say('', 'Six seconds later (the demo moves the clock, it does not sleep):')
  const leases = await fetchAll(api, risk, 'risk-2')
  const attempts = leases.map((lease) => lease.attempt)
  promised('risk-2 gets all nine, as attempt 2', attempts, Array(9).fill(2))

  heading(5, 'The dead worker comes back, too late')
  say('risk-1 was only slow. It acks with a lease that it still believes in.')
  const old = stale[0]
  const refused = await api.call('POST', `${risk}/ack`, {
    body: { leaseId: old.leaseId },
    expect: 409,
    show: pick('code', 'detail'),
  })
  promised('the late ack is refused as stale_lease', refused.code, 'stale_lease')
  promised('and nothing has changed: lag 9', (await lagOf(api, risk)).lag, 9)
  return leases
}

async function leaveHole(api: Api, partition: number, leases: Json[]): Promise<void> {
  heading(6, 'A hole: 1, 3 and 4 are acked, 2 is still in flight')
  say('The frontier: the highest sequence up to which everything is settled. It never passes a hole.')
  const own = leases.filter((lease) => lease.partition === partition && lease.sequence !== 2)
  const body = { leases: own.map(({ leaseId }) => ({ leaseId })) }
  const acked = await api.call('POST', `${risk}/ack`, { body, expect: 200, show: pick('settled', 'failed') })
  promised('three acks are in', acked.settled, 3)

  const lag = await lagOf(api, risk, pick('lag'))
  printLag(lag)
  promised('frontier 1, high watermark 4, lag 3', lag.partitions[partition], { frontier: 1, highWatermark: 4, lag: 3 })

  const path = `${risk}/holes?partition=${partition}`
  const holes = (
    await api.call('GET', path, { expect: 200, show: (body) => ({ blockedBy: blocker(body, partition) }) })
  ).partitions[partition]
  strip(holes.highWatermark, holes.frontier, (sequence) =>
    holes.holes.some((hole: Json) => hole.first <= sequence && sequence <= hole.last),
  )
  const { sequence, state, attempt, consumerId, expiresAt } = holes.blockedBy ?? {}
  promised('the hole has a name: sequence 2, leased', [sequence, state, attempt], [2, 'leased', 2])
  const lease = leaseOf(leases, partition, 2)
  promised(`held by ${consumerId} until ${expiresAt}`, [consumerId, expiresAt], ['risk-2', lease.expiresAt])
}

async function fillHole(api: Api, partition: number, leases: Json[]): Promise<void> {
  heading(7, 'The hole fills, and the frontier jumps')
  const body = { leaseId: leaseOf(leases, partition, 2).leaseId }
  const acked = await api.call('POST', `${risk}/ack`, { body, expect: 200, show: pick('ok', 'state') })
  promised('the delivery is acked', acked.state, 'acked')
  const jumped = (await lagOf(api, risk)).partitions[partition]
  promised('from 1 to 4 in one step', jumped, { frontier: 4, highWatermark: 4, lag: 0 })

  say('', 'risk-2 acks the rest of what it holds, one receipt per partition.')
  const rest = { receipts: receiptsOf(leases.filter((lease) => lease.partition !== partition)) }
  await api.call('POST', `${risk}/ack`, { body: rest, expect: 200, show: pick('settled', 'failed') })
  const lag = await lagOf(api, risk, pick('lag'))
  printLag(lag)
  promised('risk has caught up', lag.lag, 0)
}

async function buryPoison(api: Api, partition: number): Promise<void> {
  heading(8, 'A poison event ends as a dead letter')
  say('An event that no worker can digest must not circle for ever. The group allows three attempts.')
  const event = { type: 'curve_update', key: 'EUR-EURIBOR-6M', payload: { rate: null } }
  const appended = await api.call('POST', `${stream}/events`, {
    body: event,
    expect: 201,
    show: (body) => ({ partition: body.event.partition, sequence: body.event.sequence }),
  })
  promised('the same key, the same partition as before', appended.event.partition, partition)

  const states: string[] = []
  for (const attempt of [1, 2, 3]) {
    const fetched = await api.call('POST', `${risk}/fetch`, {
      body: { consumerId: 'risk-2' },
      expect: 200,
      show: 'quiet',
    })
    const lease = fetched.leases[0]
    promised(`attempt ${attempt} leased`, [fetched.leases.length, lease?.attempt], [1, attempt])
    api.name(lease.leaseId, `lease of ${partition}/5, attempt ${attempt}`)
    const body = { leaseId: lease.leaseId, reason: 'rate is null' }
    states.push((await api.call('POST', `${risk}/nack`, { body, expect: 200, show: pick('ok', 'state') })).state)
  }
  promised('reopened twice, then rejected', states, ['available', 'available', 'rejected'])

  const { deadLetters } = await api.call('GET', `${risk}/dead-letters`, {
    expect: 200,
    show: (body) => body.deadLetters.map(pick('partition', 'sequence', 'reason', 'cause', 'attempt')),
  })
  const letter = { partition, sequence: 5, reason: 'rate is null', cause: 'max_attempts', attempt: 3 }
  const kept = deadLetters.map(pick('partition', 'sequence', 'reason', 'cause', 'attempt'))
  promised('the dead letter keeps its reason', kept, [letter])
  const moved = (await lagOf(api, risk)).partitions[partition]
  promised('and does not block: frontier 5, lag 0', moved, { frontier: 5, highWatermark: 5, lag: 0 })
}

async function readAgain(api: Api, partition: number): Promise<void> {
  heading(9, 'Everything is still there')
  say('Settling moves a group on; it deletes nothing.')
  const path = `${stream}/events?partition=${partition}&after=0`
  const read = await api.call('GET', path, { expect: 200, show: pick('highWatermark') })
  table(
    ['sequence', 'key', 'payload'],
    read.events.map((event: Json) => [event.sequence, event.key, JSON.stringify(event.payload)]),
  )
  promised('all five events can be read, the poison one too', read.events.map(sequenceOf), [1, 2, 3, 4, 5])

  say('', 'A group created now starts at the beginning, and gets all ten.')
  await api.call('POST', `${stream}/groups`, { body: { name: 'audit' }, expect: 201, show: pick('name') })
  const audited = await fetchAll(api, `${stream}/groups/audit`, 'audit-1')
  promised('audit got ten events', audited.length, 10)
}
