import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { NewEvent } from '../client/index.ts'
import { parseJson } from './arguments.ts'

/** Events of neighbouring lines that go out together; lines count from 1. */
export interface Batch {
  readonly events: readonly NewEvent[]
  readonly first: number
  readonly last: number
}

const MAX_EVENTS = 1_000
/** Well below the server's 16 MiB of a body, whatever escaping adds. */
const MAX_CHARACTERS = 4_000_000

/** Reads lines of JSON, empty ones left out, as batches. A line that is no JSON object ends it, after those before. */
export async function* batchesOf(input: Readable): AsyncGenerator<Batch> {
  let events: NewEvent[] = []
  let characters = 0
  let line = 0
  let first = 1
  const take = (): Batch => {
    const batch = { events, first, last: line }
    events = []
    characters = 0
    return batch
  }
  // A stream that cannot be opened says so here; the lines alone would simply end.
  const broken = new Promise<never>((_, reject) => input.once('error', reject))
  broken.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  for (;;) {
    const { value: text, done } = await Promise.race([lines.next(), broken])
    if (done) break
    if (events.length === MAX_EVENTS || (events.length > 0 && characters + text.length > MAX_CHARACTERS)) yield take()
    line += 1
    if (text.trim() === '') continue
    const event = parseJson(text)
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      line -= 1
      if (events.length > 0) yield take()
      throw new Error(`line ${line + 1} is no JSON object`)
    }
    if (events.length === 0) first = line
    events.push(event as NewEvent)
    characters += text.length
  }
  if (events.length > 0) yield take()
}
