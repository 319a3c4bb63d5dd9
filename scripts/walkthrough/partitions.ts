import { type Api, type Json, promised } from '../demo/api.ts'
import { fetchSome, lagOf, pick, printLag, sequenceOf } from '../demo/calls.ts'
import { heading, say, strip, table } from '../demo/print.ts'
import { createGroup } from './groups.ts'

/** Deletes the stream and creates it once more, with four partitions. */
export async function startWithPartitions(api: Api, stream: string, name: string): Promise<void> {
  heading(10, 'From the beginning, with four partitions')
  say('A delete has to be confirmed as well. It takes the stream with its events and its groups.')
  const refused = await api.call('DELETE', stream, { expect: 400, show: pick('code') })
  promised('it has to be confirmed', refused.code, 'confirm_required')
  await api.call('DELETE', `${stream}?confirm=true`, { expect: 204 })
  const gone = await api.call('GET', stream, { expect: 404, show: pick('code') })
  promised('the stream is gone', gone.code, 'stream_not_found')
  const body = { name, partitionCount: 4 }
  const made = await api.call('POST', '/v1/streams', { body, expect: 201, show: pick('partitionCount') })
  promised('its successor has four partitions', made.partitionCount, 4)
  await createGroup(api, stream, 'risk')
}

/** Appends by key, one event a call, and looks where the events went. */
export async function countPartitions(api: Api, stream: string): Promise<void> {
  heading(11, 'A key keeps to its partition')
  say('Sequences count per partition; there is no order across partitions.')
  for (const key of ['EUR-A', 'EUR-A', 'USD-B', 'GBP-C']) {
    const body = { type: 'curve_update', key, payload: { price: 1 } }
    const show = ({ event }: Json) => pick('partition', 'sequence')(event)
    await api.call('POST', `${stream}/events`, { body, expect: 201, show })
  }
  const { events } = await api.call('POST', `${stream}/query`, {
    body: { where: { key: 'EUR-A' } },
    expect: 200,
    show: (answer) => ({ events: answer.events.map(sequenceOf) }),
  })
  table(
    ['key', 'partition', 'sequence'],
    events.map(({ key, partition, sequence }: Json) => [key, partition, sequence]),
  )
  promised('EUR-A has one partition', new Set(events.map((event: Json) => event.partition)).size, 1)
  promised('and sequences 1 and 2 in it', events.map(sequenceOf), [1, 2])
  promised('risk has all four before it', (await lagOf(api, `${stream}/groups/risk`)).lag, 4)
}

/** Acks 1 and 3, then 2. */
export async function leaveHole(api: Api, stream: string): Promise<void> {
  heading(12, 'A hole in the frontier')
  say('Acks are no cursor: the frontier is the highest sequence up to which everything is settled.')
  const partition = await emptyPartition(api, stream)
  await createGroup(api, stream, 'frontier-demo')
  const events = Array.from({ length: 3 }, () => ({ type: 't', partition }))
  await api.call('POST', `${stream}/events`, {
    body: { events },
    expect: 201,
    show: (answer) => ({ events: answer.events.map(sequenceOf) }),
  })
  const group = `${stream}/groups/frontier-demo`
  const leases = await fetchSome(api, group, { partition, limit: 3, consumerId: 'demo' })
  promised('1, 2 and 3 are leased', leases.map(sequenceOf), [1, 2, 3])

  for (const lease of [leases[0], leases[2]]) await ack(api, group, lease)
  const hole = (await lagOf(api, group, (body) => body.partitions[partition])).partitions[partition]
  strip(hole.highWatermark, hole.frontier, (sequence) => sequence === 2)
  promised('the frontier stays at 1, the lag at 2', hole, { frontier: 1, highWatermark: 3, lag: 2 })

  await ack(api, group, leases[1])
  const lag = await lagOf(api, group, pick('lag'))
  printLag(lag)
  promised('with 2 it jumps to 3', lag.partitions[partition], { frontier: 3, highWatermark: 3, lag: 0 })
  promised('the lag of the group is that of its partitions together: the four by key', lag.lag, 4)
}

/** The first partition without events, so that the sequences of the story begin at 1. */
async function emptyPartition(api: Api, stream: string): Promise<number> {
  const { partitions } = await api.call('GET', stream, { expect: 200, show: 'quiet' })
  const empty = Object.entries<Json>(partitions).find(([, { highWatermark }]) => highWatermark === 0)
  promised('three keys leave a partition empty', empty !== undefined, true)
  return Number(empty![0])
}

const ack = (api: Api, group: string, { leaseId }: Json): Promise<Json> =>
  api.call('POST', `${group}/ack`, { body: { leaseId }, expect: 200, show: pick('ok', 'state') })
