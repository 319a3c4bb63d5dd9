import { type Api, type Json, promised } from '../demo/api.ts'
import { fetchSome, lagOf, pick, receiptsOf, sequenceOf } from '../demo/calls.ts'
import { heading, say } from '../demo/print.ts'

const leaseMs = 5_000
const currencies = ['EUR', 'USD', 'GBP']
const curves = ['EUR-EURIBOR-6M', 'USD-SOFR', 'GBP-SONIA']

/** The n-th curve update, with where it comes from as metadata. */
const curveUpdate = (n: number) => ({
  type: 'curve_update',
  payload: { currency: currencies[n % 3], curve: curves[n % 3], price: Number((1 + n * 0.07).toFixed(4)) },
  metadata: {
    correlation_id: `corr-${n % 7}`,
    causation_id: `cmd-${n}`,
    producer: 'pricing-service-v3',
    schema: 'curve_update',
    schema_version: '1',
  },
})

/** The sequences from `first` to `last`. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Creates a group with the walkthrough's short leases. */
export async function createGroup(api: Api, stream: string, name: string, options: Json = {}): Promise<void> {
  const body = { name, leaseMs, maxAttempts: 3, ...options }
  await api.call('POST', `${stream}/groups`, { body, expect: 201, show: pick('name', 'leaseMs', 'maxAttempts') })
}

/** Creates the stream and appends thirty curve updates. */
export async function publish(api: Api, stream: string, name: string): Promise<void> {
  heading(1, 'Thirty curve updates')
  say('Lineage is ordinary metadata under well-known names. Search will find events by them.')
  await api.call('POST', '/v1/streams', { body: { name }, expect: 201, show: pick('partitionCount') })
  const body = { events: range(1, 30).map(curveUpdate) }
  const { events } = await api.call('POST', `${stream}/events`, {
    body,
    expect: 201,
    show: (answer) => ({ events: answer.events.map(sequenceOf) }),
  })
  promised('thirty events are in, sequences 1 to 30', events.map(sequenceOf), range(1, 30))
}

/** Two groups fetch five each and surveillance acks. Answers the leases of risk-1, which will not come back in time. */
export async function readIndependently(api: Api, stream: string): Promise<Json[]> {
  heading(2, 'Independent groups')
  say('Risk marks positions, surveillance watches for anomalies. They must not share a cursor.')
  await createGroup(api, stream, 'risk')
  await createGroup(api, stream, 'surveillance')
  const risk = await fetchSome(api, `${stream}/groups/risk`, { limit: 5, consumerId: 'risk-1' })
  const watched = await fetchSome(api, `${stream}/groups/surveillance`, { limit: 5, consumerId: 'watch-1' })
  const ids = (leases: Json[]) => leases.map((lease) => lease.eventId)
  promised('both got the same five events', [risk.length, ids(watched)], [5, ids(risk)])
  const tokens = new Set([...risk, ...watched].flatMap(({ leaseId, receipt }) => [leaseId, receipt]))
  promised('under leases and receipts of their own', tokens.size, 12)

  say('', 'Surveillance acks. Risk hangs: its worker has crashed.')
  await ackByReceipts(api, `${stream}/groups/surveillance`, watched)
  const frontiers = await Promise.all(
    ['risk', 'surveillance'].map((name) => frontierOf(api, `${stream}/groups/${name}`)),
  )
  promised('the frontier of surveillance is 5, that of risk still 0', frontiers, [0, 5])
  return risk
}

/** Lets the leases of risk-1 expire and gives the events to risk-2. */
export async function fenceLateWorker(api: Api, stream: string, stale: Json[]): Promise<void> {
  heading(3, 'Expiry and fencing')
  say('Leases of 5 s end; 6 s later another worker gets the same events. The old lease must not settle them.')
  api.advance(6_000)
  const group = `${stream}/groups/risk`
  const leases = await fetchSome(api, group, { limit: 5, consumerId: 'risk-2' })
  promised('risk-2 gets all five again', leases.map(sequenceOf), range(1, 5))
  promised(
    'as attempt 2',
    leases.map((lease) => lease.attempt),
    Array(5).fill(2),
  )

  const refused = await api.call('POST', `${group}/ack`, {
    body: { leaseId: stale[0].leaseId },
    expect: 409,
    show: pick('code'),
  })
  promised('the ack of risk-1 comes too late', refused.code, 'stale_lease')
  const [first, ...others] = leases
  const acked = await api.call('POST', `${group}/ack`, {
    body: { leaseId: first.leaseId },
    expect: 200,
    show: pick('ok', 'state'),
  })
  promised('that of risk-2 is good', acked, { ok: true, state: 'acked' })
  const body = { leases: others.map(({ leaseId }: Json) => ({ leaseId })) }
  const rest = await api.call('POST', `${group}/ack`, { body, expect: 200, show: pick('settled', 'failed') })
  promised('and so are its others', [rest.settled, rest.failed], [4, 0])
}

/** Acks all that some leases hold, by the receipts of their fetch. */
export async function ackByReceipts(api: Api, group: string, leases: Json[]): Promise<void> {
  const body = { receipts: receiptsOf(leases) }
  const { results } = await api.call('POST', `${group}/ack`, { body, expect: 200, show: pick('settled', 'failed') })
  const count = results.reduce((sum: number, result: Json) => sum + result.count, 0)
  promised(`${leases.length} deliveries are acked`, count, leases.length)
}

/** The frontier of a group on a stream of one partition. */
export const frontierOf = async (api: Api, group: string): Promise<number> =>
  (await lagOf(api, group)).partitions[0].frontier
