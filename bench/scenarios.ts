import type { Call } from './client.ts'
import type { Step } from './load.ts'

/** One measurement. */
export type Scenario = {
  name: string
  connections: number
  /** Makes what the steps work on, in a stream of its own of one partition, and answers the step. */
  prepare(call: Call, stream: string): Promise<Step>
  /** What the reference gets in each request: the same that the server gets, or the greatest of it. */
  body: string
}

const claim = 100
/** Events in the log that a fetch scenario reads over and over, each time for another group. */
const backlog = 100_000
const fetchBody = JSON.stringify({ limit: claim, consumerId: 'bench' })

export const scenarios: Scenario[] = [
  append('append 1', 1, 1),
  append('append 1', 1, 64),
  append('append 100', 100, 8),
  append('append 1000', 1_000, 4),
  { name: 'fetch+ack 100', connections: 1, prepare: prepareFetchAndAck, body: fetchBody },
  { name: 'fetch+ack 100', connections: 8, prepare: prepareFetchAndAck, body: fetchBody },
  { name: 'lag', connections: 1, prepare: prepareLag, body: '{}' },
]

/** An event of about 130 bytes, as a market sends them. */
function event(index: number) {
  const payload = { rate: 2.9 + (index % 100) / 1_000, tenor: '6M', source: 'desk-7' }
  return { type: 'curve_update', key: `EUR-EURIBOR-${index % 50}`, payload }
}

function events(count: number): string {
  return JSON.stringify({ events: Array.from({ length: count }, (_, index) => event(index)) })
}

function append(name: string, count: number, connections: number): Scenario {
  const body = count === 1 ? JSON.stringify(event(0)) : events(count)
  return {
    ...{ name, connections, body },
    async prepare(call, stream) {
      await createStream(call, stream)
      return async (call) => {
        await call('POST', `/v1/streams/${stream}/events`, body)
        return count
      }
    },
  }
}

/** A fetch of a hundred, and one ack of the whole claim by its receipt. */
async function prepareFetchAndAck(call: Call, stream: string): Promise<Step> {
  await createStream(call, stream)
  await fill(call, stream, backlog)
  let group = await createGroup(call, stream, 0)
  let nextGroup = createGroup(call, stream, 1)
  let made = 2
  return async (call) => {
    const mine = group
    const { text } = await call('POST', `${mine}/fetch`, fetchBody)
    const receipt = /"receipt":"([^"]+)"/.exec(text)?.[1]
    if (receipt === undefined) {
      // This group has read all; consuming deletes nothing, so the next one reads the same events.
      const next = await nextGroup
      if (group === mine) {
        group = next
        nextGroup = createGroup(call, stream, made++)
      }
      return null
    }
    const acked = await call('POST', `${mine}/ack`, JSON.stringify({ receipts: [receipt] }))
    return Number(/"count":(\d+)/.exec(acked.text)?.[1])
  }
}

/** The lag of a group with a backlog, five hundred holes in it, and five hundred leases. */
async function prepareLag(call: Call, stream: string): Promise<Step> {
  await createStream(call, stream)
  await fill(call, stream, 10_000)
  const group = await createGroup(call, stream, 0)
  const body = JSON.stringify({ limit: 1_000, leaseMs: 3_600_000 })
  const { leases } = JSON.parse((await call('POST', `${group}/fetch`, body)).text)
  const everySecond = leases.filter((_: unknown, index: number) => index % 2 === 1)
  await call('POST', `${group}/ack`, JSON.stringify({ leases: everySecond }))
  return async (call) => {
    await call('GET', `${group}/lag`)
    return 1
  }
}

async function createStream(call: Call, name: string): Promise<void> {
  await call('POST', '/v1/streams', JSON.stringify({ name, partitionCount: 1 }))
}

/** Makes a group and answers its path. */
async function createGroup(call: Call, stream: string, number: number): Promise<string> {
  await call('POST', `/v1/streams/${stream}/groups`, JSON.stringify({ name: `g${number}` }))
  return `/v1/streams/${stream}/groups/g${number}`
}

async function fill(call: Call, stream: string, count: number): Promise<void> {
  const body = events(1_000)
  for (let appended = 0; appended < count; appended += 1_000) await call('POST', `/v1/streams/${stream}/events`, body)
}
