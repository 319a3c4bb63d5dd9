import { readFileSync } from 'node:fs'
import { startLocal } from '../scripts/local.ts'
import { type Call, type Client, createClient } from './client.ts'
import type { Target } from './load.ts'
import { Log } from './log.ts'
import { startReference } from './reference/start.ts'

/** How long the logs are, and how much of a ledger lies in fragments. */
export type Sizes = { small: number; large: number; fragments: number }

/** A group of the large log whose ledger is in fragments, and how many events it has been given. */
export type Fragmented = { readonly log: Log; readonly group: string; taken: number }

/** The servers, and what scenarios share; each is made when it is first asked for. */
export type World = {
  readonly sizes: Sizes
  readonly rheo: Target
  readonly reference: Target
  /** Calls of either server that are not measured. */
  readonly call: Call
  readonly refer: Call
  /** A new stream of one partition. */
  stream(events?: number): Promise<Log>
  small(): Promise<Log>
  large(): Promise<Log>
  fragmented(): Promise<Fragmented>
  /** Aborts when the servers are about to stop. */
  readonly signal: AbortSignal
  stop(): Promise<void>
}

/** Starts the built Worker and the references, each with a fresh store. */
export async function startWorld(sizes: Sizes, tell: (doing: string) => void): Promise<World> {
  const script = readFileSync(new URL('../dist/index.js', import.meta.url), 'utf8')
  const [rheo, reference] = await Promise.all([
    startLocal({ directSockets: true, script, onLog: () => {} }),
    startReference(),
  ])
  const clients: Client[] = [createClient(rheo.url), createClient(reference.url)]
  const [{ call }, { call: refer }] = clients as [Client, Client]
  let streams = 0
  const stream = (events = 0) => new Log(call, `s${streams++}`).create(events)
  const small = once(() => stream(sizes.small))
  const large = once(() => {
    tell(`appending ${sizes.large} events`)
    return stream(sizes.large)
  })
  const fragmented = once(async () => {
    const log = await large()
    const group = await log.group()
    tell(`making ${sizes.fragments} fragments`)
    await log.fragment(group, sizes.fragments)
    return { log, group, taken: 2 * sizes.fragments }
  })
  const stopping = new AbortController()
  const stop = async () => {
    stopping.abort()
    for (const client of clients) client.close()
    await Promise.all([rheo.stop(), reference.stop()])
  }
  const targets = { rheo: withPids(rheo), reference: withPids(reference) }
  return { sizes, ...targets, call, refer, stream, small, large, fragmented, signal: stopping.signal, stop }
}

/** A server that is not restarted: to find its processes takes 6 ms, in which it falls asleep and wakes slowly. */
const withPids = ({ url, pids }: Target): Target => ({ url, pids: once(pids) })

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
