import { expect, onTestFinished } from 'vitest'
import type { Stream } from './stream.ts'
import { tenant, token, url } from './target.ts'
import type { StreamEvent } from './wire.ts'

/** One block of a tail; what it does not have is undefined. */
export interface Block {
  id?: string
  event?: string
  data?: string
  retry?: string
}

export interface TailOptions {
  /** The query, without its question mark. */
  query?: string
  lastEventId?: string
  tenant?: string
  method?: 'GET' | 'HEAD'
}

/** A tail that is being read. It is closed at the end of its test. */
export class Tail {
  readonly response: Response
  /** The last position that came. */
  id = ''
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body!.getReader()
  }

  /** The next block; null at the end of the body. */
  async block(): Promise<Block | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const block = Object.fromEntries(lines.map(fieldOf)) as Block
        this.id = block.id ?? this.id
        return block
      }
      const { done, value } = await this.#reader.read()
      if (done) {
        expect(this.#text).toBe('')
        return null
      }
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** The next so many events. */
  async events(count: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = []
    while (events.length < count) {
      const block = await this.block()
      expect(block, `the tail ended after ${events.length} of ${count} events`).not.toBe(null)
      expect(block!.event).toBeUndefined()
      if (block!.data !== undefined) events.push(JSON.parse(block!.data) as StreamEvent)
    }
    return events
  }

  /** What the tail says as its end, and that nothing follows. */
  async end(): Promise<unknown> {
    for (;;) {
      const block = await this.block()
      expect(block, 'the tail ended without a word').not.toBe(null)
      if (block!.event !== 'end') continue
      expect(await this.block()).toBe(null)
      return JSON.parse(block!.data!)
    }
  }

  close(): Promise<void> {
    return this.#reader.cancel()
  }
}

function fieldOf(line: string): [string, string] {
  const [, name, value] = /^([a-z]*): ?(.*)$/s.exec(line)!
  return [name!, value!]
}

/** Sends the request of a tail, whatever comes. */
export function tailResponse(stream: Stream, options: TailOptions = {}): Promise<Response> {
  const { query = '', lastEventId, tenant: owner = tenant, method = 'GET' } = options
  const headers = new Headers({ Accept: 'text/event-stream' })
  if (token === '') headers.set('Rheo-Tenant', owner)
  else headers.set('Authorization', `Bearer ${token}`)
  if (lastEventId !== undefined) headers.set('Last-Event-ID', lastEventId)
  return fetch(`${url}${stream.path}/tail?${query}`, { method, headers })
}

/** Opens a tail and reads where it begins: from then on nothing is missed. */
export async function openTail(stream: Stream, options: TailOptions = {}): Promise<Tail> {
  const response = await tailResponse(stream, options)
  expect(response.status, response.status === 200 ? '' : await response.text()).toBe(200)
  const tail = new Tail(response)
  onTestFinished(() => tail.close())
  const opening = await tail.block()
  expect(opening).toMatchObject({ id: expect.stringMatching(/\S/), retry: expect.stringMatching(/^\d+$/) })
  return tail
}
