import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startLocal } from '../scripts/local.ts'
import { type Call, createClient } from './client.ts'
import { type Inspector, openInspector } from './inspector.ts'
import { event, Log, receiptIn } from './log.ts'
import { machine } from './machine.ts'
import { short, table } from './table.ts'

/** How much the platform gives an object, and how much of it may be held when garbage is gone. */
const platformBytes = 128 * 2 ** 20
const maxHeldBytes = platformBytes / 2

type Load = { events: number; keys: number; fragments: number; groups: number; seconds: number }

const usual: Load = { events: 1_000_000, keys: 600_000, fragments: 100_000, groups: 20, seconds: 5 }
const quick: Load = { events: 50_000, keys: 20_000, fragments: 10_000, groups: 20, seconds: 1 }

/** What one kind of load did: bytes held when it was over, and the most seen under load, each after a collection. */
type Phase = { name: string; held: number; peak: number }

/** Puts one partition under every kind of load and tells its heap; not met if more is held than may be. */
export async function measureMemory(isQuick: boolean): Promise<{ text: string; isMet: boolean }> {
  const script = readFileSync(new URL('../dist/index.js', import.meta.url), 'utf8')
  const local = await startLocal({ directSockets: true, inspectorPort: 0, script, onLog: () => {} })
  const client = createClient(local.url)
  const inspector = await openInspector(await local.inspector())
  try {
    const phases: Phase[] = []
    for (const [name, work] of loads(client.call, isQuick ? quick : usual)) {
      process.stderr.write(`${name} …\n`)
      phases.push({ name, ...(await watch(inspector, client.call, work)) })
    }
    const isMet = phases.every(({ held }) => held <= maxHeldBytes)
    return { text: toText(phases, isMet), isMet }
  } finally {
    inspector.close()
    client.close()
    await local.stop()
  }
}

function loads(call: Call, { events, keys, fragments, groups, seconds }: Load): [string, () => Promise<void>][] {
  const log = new Log(call, 'memory')
  const names: string[] = []
  const large = new Log(call, 'large')
  const largeGroup = { path: '' }
  return [
    ['an empty partition', async () => void (await log.create(1))],
    [`${short(events - keys)} events by 1 000`, () => log.append(events - keys)],
    [
      `${short(keys)} requests of one event, each with an idempotency key`,
      () => atOnce(64, keys, (n) => call('POST', `${log.path}/events`, JSON.stringify(event(n)), newKey())),
    ],
    [
      `${groups} groups, ${short(fragments)} exceptions in one and 1 000 in each other`,
      async () => {
        for (let n = 0; n < groups; n += 1) names.push(await log.group())
        await log.fragment(names[0]!, fragments)
        for (const name of names.slice(1)) await log.fragment(name, 1_000)
      },
    ],
    ['fetch and ack of 1 000 by 8 workers', () => forSeconds(seconds, 8, (n) => consume(call, names[n % groups]!))],
    [
      '8 searches at once for two values that never meet',
      () => forSeconds(seconds, 8, () => search(call, log, { tenor: '6M', side: 'ask' })),
    ],
    ['a search for half of the events by 1 000', () => search(call, log, { tenor: '6M' })],
    [
      '4 appends of 12 MB at once',
      async () => {
        await large.create(0)
        largeGroup.path = await large.group()
        const body = JSON.stringify({
          events: Array.from({ length: 800 }, () => ({ payload: { text: 'x'.repeat(15_000) } })),
        })
        await atOnce(4, 12, () => untilTaken(() => call('POST', `${large.path}/events`, body)))
      },
    ],
    ['4 fetches of 8 MB at once', () => forSeconds(seconds, 4, () => consume(call, largeGroup.path))],
  ]
}

/** A Worker takes two bodies of this size at once, and the others when they come again. */
async function untilTaken(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send()
      return
    } catch (error) {
      if (!String(error).includes(': 503 ')) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const newKey = () => ({ 'idempotency-key': randomUUID() })

async function consume(call: Call, group: string): Promise<void> {
  const receipt = receiptIn((await call('POST', `${group}/fetch`, JSON.stringify({ limit: 1_000 }))).text)
  if (receipt !== undefined) await call('POST', `${group}/ack`, JSON.stringify({ receipts: [receipt] }))
}

async function search(call: Call, { path }: Log, where: object): Promise<void> {
  let cursor: string | undefined
  do {
    const body = { where, limit: 1_000, ...(cursor === undefined ? {} : { cursor }) }
    const { text } = await call('POST', `${path}/query`, JSON.stringify(body))
    cursor = /"nextCursor":"([^"]+)"/.exec(text)?.[1]
  } while (cursor !== undefined)
}

/** Does work so often in all, at so many places at once. */
async function atOnce(width: number, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const place = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, place))
}

async function forSeconds(seconds: number, width: number, work: (place: number) => Promise<unknown>): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000
  const place = async (n: number) => {
    while (performance.now() < endsAt) await work(n)
  }
  await Promise.all(Array.from({ length: width }, (_, n) => place(n)))
}

/** Looks at what is live while work is done, and once more when what it left has been collected. */
async function watch(inspector: Inspector, call: Call, work: () => Promise<void>): Promise<Omit<Phase, 'name'>> {
  let peak = 0
  let isDone = false
  // What has just been collected is no longer counted: garbage is as much as the runtime lets it become.
  const look = async () => {
    inspector.collect()
    const { used, buffers } = await inspector.heap()
    return used + buffers
  }
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, await look())
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await work().finally(() => {
    isDone = true
  })
  await watching
  // A collection comes in steps, each when the isolate runs: the least of some looks is what is held.
  let held = Number.POSITIVE_INFINITY
  for (let times = 0; times < 10; times += 1) {
    await call('GET', '/v1/health')
    await new Promise((resolve) => setTimeout(resolve, 50))
    held = Math.min(held, await look())
  }
  return { peak, held }
}

function toText(phases: readonly Phase[], isMet: boolean): string {
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
  const rows = phases.map(({ name, held, peak }) => [name, mega(held), mega(peak)])
  return `
${table(['after', 'MB held', 'MB at most, collected every 20 ms'], rows, 1)}

Worker and objects together, which share an isolate here. The platform gives ${mega(platformBytes)} MB; at most
${mega(maxHeldBytes)} MB held are meant: ${isMet ? 'met' : 'missed'}.

${machine()}
`
}
