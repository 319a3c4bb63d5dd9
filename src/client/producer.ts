import { type AppendOptions, type AppendRequest, appendOne, appendTexts, outcomeOfEvent, resultsOf } from './append.ts'
import { RheoError } from './errors.ts'
import type { AppendedEvent, NewEvent } from './event.ts'
import type { Outcome } from './gather.ts'
import { type Gathering, gathers } from './gathers.ts'
import { idempotencyKeys } from './idempotency-key.ts'
import type { Send } from './request.ts'

/** Characters of a gathered body: at three bytes each it stays below the server's 16 MiB. */
const MAX_CHARACTERS = 4 * 1_048_576

/** Appends for one client. Single events of a stream gather; what has a condition or a key of its own goes alone. */
export class Producer {
  readonly #send: Send
  readonly #gather: Gathering<string, AppendedEvent> | null
  readonly #nextKey = idempotencyKeys()

  constructor(send: Send, gather: boolean) {
    this.#send = send
    this.#gather = gather ? gathers(MAX_CHARACTERS, (text) => text.length) : null
  }

  async one(stream: string, event: NewEvent, options: AppendOptions): Promise<AppendedEvent> {
    const { idempotencyKey, expectedSequence, timeoutMs, signal } = options
    const isPlain = idempotencyKey === undefined && expectedSequence === undefined && timeoutMs === undefined
    const text = JSON.stringify(event)
    if (this.#gather === null || !isPlain) return appendOne(this.#send, stream, text, this.#request(options))
    return this.#gather(stream, text, (texts) => this.#gathered(stream, texts), signal)
  }

  async many(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendedEvent[]> {
    const texts = events.map((event) => JSON.stringify(event))
    return appendTexts(this.#send, stream, texts, this.#request(options))
  }

  #request({ idempotencyKey = this.#nextKey(), ...options }: AppendOptions): AppendRequest {
    return { ...options, idempotencyKey }
  }

  async #gathered(stream: string, texts: readonly string[]): Promise<readonly Outcome<AppendedEvent>[]> {
    const request = { idempotencyKey: this.#nextKey() }
    try {
      // One alone goes as one, so that a failure names its fields as the caller does.
      const events =
        texts.length === 1
          ? [await appendOne(this.#send, stream, texts[0]!, request)]
          : await appendTexts(this.#send, stream, texts, request)
      return events.map((value) => ({ ok: true, value }))
    } catch (error) {
      const results = error instanceof RheoError ? resultsOf(error) : undefined
      if (results === undefined) return texts.map(() => ({ ok: false, error }))
      return results.map((result) => outcomeOfEvent(error as RheoError, result))
    }
  }
}
