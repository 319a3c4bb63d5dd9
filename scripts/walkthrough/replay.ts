import { type Api, type Json, promised } from '../demo/api.ts'
import { fetchAll, fetchSome, lagOf, pick, sequenceOf } from '../demo/calls.ts'
import { heading, say, table } from '../demo/print.ts'
import { ackByReceipts, createGroup, frontierOf, range } from './groups.ts'

const attemptOf = (lease: Json): number => lease.attempt

/** The way that disturbs nobody: a new group that begins where the replay shall begin. */
export async function replayInNewGroup(api: Api, stream: string): Promise<void> {
  heading(6, 'Replay, first way: a new group with a start')
  say('Nothing is copied: the log is there once, a group is only progress over it. Best for backfills.')
  await createGroup(api, stream, 'risk-replay', { startAfter: 20 })
  const group = `${stream}/groups/risk-replay`
  const leases = await fetchSome(api, group, { limit: 10, consumerId: 'replay-1' })
  promised('only what comes after 20', leases.map(sequenceOf), range(21, 30))
  await ackByReceipts(api, group, leases)
  promised('and risk has not moved: frontier 5', await frontierOf(api, `${stream}/groups/risk`), 5)
}

/** Opens a group again from the beginning. Answers the five leases that risk-3 holds then. */
export async function replayEverything(api: Api, stream: string): Promise<Json[]> {
  heading(7, 'Replay, second way: open a group again')
  const group = `${stream}/groups/risk`
  say('First risk finishes its work.')
  await ackByReceipts(api, group, await fetchAll(api, group, 'risk-drain'))
  const body = { limit: 1, consumerId: 'risk-check' }
  const empty = await api.call('POST', `${group}/fetch`, { body, expect: 200, show: pick('leases', 'reason') })
  promised('it has caught up', empty, { leases: [], reason: 'caught_up' })

  say('', 'Then it is replayed from 0. Attempts are kept, so maxAttempts goes on counting.')
  const replayed = await replay(api, group, { fromSequence: 0 })
  promised('thirty deliveries are open again', replayed.reopened, 30)
  const leases = await fetchSome(api, group, { limit: 5, consumerId: 'risk-3' })
  promised('1 to 5 come first', leases.map(sequenceOf), range(1, 5))
  promised('as attempt 3: one crashed, one acked, one replayed', leases.map(attemptOf), Array(5).fill(3))
  return leases
}

/** Opens again what a query finds. */
export async function replayByQuery(api: Api, stream: string, held: Json[]): Promise<void> {
  heading(8, 'Replay by a query: only EUR')
  const group = `${stream}/groups/risk`
  say('The rest of what was opened is settled first; risk-3 still holds 1 to 5.')
  const rest = await fetchAll(api, group, 'risk-drain')
  promised('6 to 30 have attempt 2', [rest.length, new Set(rest.map(attemptOf))], [25, new Set([2])])
  await ackByReceipts(api, group, rest)

  const query = { where: { type: 'curve_update', currency: 'EUR' } }
  const would = await replay(api, group, { query, dryRun: true })
  promised('a dry run says that ten would be opened', would.reopened, 10)
  const replayed = await replay(api, group, { query })
  promised('ten are opened', replayed.reopened, 10)
  const leases = await fetchSome(api, group, { limit: 20, consumerId: 'risk-eur' })
  table(
    ['sequence', 'currency', 'attempt'],
    leases.map(({ sequence, attempt, event }: Json) => [sequence, event.payload.currency, attempt]),
  )
  promised('ten are delivered', leases.length, 10)
  promised('all of them EUR', [...new Set(leases.map((lease) => lease.event.payload.currency))], ['EUR'])

  say('', 'Event 3 is among them, so the lease that risk-3 has of it is void. Its other four are good.')
  const acks = await api.call('POST', `${group}/ack`, {
    body: { leases: held.map(({ leaseId }) => ({ leaseId })) },
    expect: 200,
    show: pick('settled', 'failed'),
  })
  promised(
    '3 is stale',
    acks.results.map((result: Json) => result.code ?? result.state),
    ['acked', 'acked', 'stale_lease', 'acked', 'acked'],
  )
}

/** Starts a group over: refused at first, then confirmed. */
export async function resetOnPurpose(api: Api, stream: string): Promise<void> {
  heading(9, 'Reset: loud on purpose')
  say('A reset forgets what a group has done: its attempts, dead letters and leases.')
  const group = `${stream}/groups/risk`
  const watched = await lagOf(api, `${stream}/groups/surveillance`)
  const reset = { startAfter: 25 }
  const refused = await api.call('POST', `${group}/reset`, { body: reset, expect: 400, show: pick('code') })
  promised('it has to be confirmed', refused.code, 'confirm_required')
  const body = { confirm: true, ...reset }
  const done = await api.call('POST', `${group}/reset`, { body, expect: 200, show: (answer) => answer })
  promised('risk starts after 25', done.partitions, { 0: { frontier: 25, highWatermark: 30, lag: 5 } })
  const leases = await fetchSome(api, group, { limit: 10, consumerId: 'risk-reset' })
  promised(
    '26 to 30, as attempt 1',
    leases.map(({ sequence, attempt }) => [sequence, attempt]),
    [
      [26, 1],
      [27, 1],
      [28, 1],
      [29, 1],
      [30, 1],
    ],
  )

  say('', 'The events are where they were, and so is surveillance.')
  const read = await api.call('GET', `${stream}/events?after=0&limit=1`, {
    expect: 200,
    show: (page) => ({ events: page.events.map(sequenceOf), highWatermark: page.highWatermark }),
  })
  promised('event 1 is still in the log', read.events.map(sequenceOf), [1])
  promised('surveillance keeps its progress', await lagOf(api, `${stream}/groups/surveillance`), watched)
}

const replay = (api: Api, group: string, body: Json): Promise<Json> =>
  api.call('POST', `${group}/replay`, { body, expect: 200, show: (answer) => answer })
