import type { Watch } from '../core/backend.ts'
import type { StreamRecord } from '../core/catalog/commands.ts'
import { noStream } from '../core/catalog/machine.ts'
import { type Failure, failure } from '../core/failure.ts'
import { limits } from '../core/limits.ts'
import { type Address, type Answer, done, type QueryPage } from '../core/partition/commands.ts'
import type { Condition } from '../core/query/condition.ts'
import { everything } from '../core/query/query.ts'
import { addressOf, ask, watch } from './ask.ts'
import type { Call } from './call.ts'
import { endBlock, eventBlock, heartbeatBlock, openingText, positionBlock } from './event-stream.ts'
import { allOf } from './gather.ts'
import { formatPosition, type Position } from './position.ts'
import { LOOKED_CHARACTERS } from './search.ts'
import { isOutage } from './worst.ts'

/**
 * What one read brings at most, and so what a tail holds in memory at most. An event is counted by its share of its row,
 * which makes it heavier than its bytes, but not twice as heavy as the largest.
 */
const PAGE_EVENTS = 250
const PAGE_BYTES = 2 * limits.eventBytes
/** A connection on which nothing is sent for longer may be cut by what lies in between. */
const HEARTBEAT_MS = 15_000
/** The platform may show only by a failed write that a client has gone; many go at once, such as those that look once. */
const FIRST_HEARTBEAT_MS = 1_000
/** Pauses after failures in a row, doubling, with jitter. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/** One partition that a tail follows. */
interface Followed {
  readonly address: Address
  /** The last sequence that the client has, or need not have. */
  position: number
  /** What the partition has told of. */
  highWatermark: number
  watch: Watch | 'opening' | null
  failures: number
  /** Not called before this time. */
  restsUntilMs: number
}

/**
 * The events of a stream from a position on, without end. Partitions only tell that they have more (see Backend.watch);
 * it is read when the client has taken what was before, so that a slow client holds nothing but a number in memory.
 */
export class Tail {
  readonly #call: Call
  readonly #stream: StreamRecord
  readonly #conditions: readonly Condition[]
  readonly #position: (number | null)[]
  readonly #followed: Followed[]
  /** The position in words, and whether the client has been sent it. */
  #text: string | null = null
  #isTextSent = false
  #sentMs = Date.now()
  #restMs = FIRST_HEARTBEAT_MS
  #isOpened = false
  #calls = 0
  #next = 0
  #end: Failure | null = null
  #isClosed = false
  #wake = (): void => {}

  /** `start` is the position to begin at; where it is null for a partition to follow, that begins at its end. */
  constructor(
    call: Call,
    stream: StreamRecord,
    partitions: readonly number[],
    start: Position,
    conditions: readonly Condition[],
  ) {
    this.#call = call
    this.#stream = stream
    this.#conditions = conditions
    this.#position = start.map((sequence, partition) => (partitions.includes(partition) ? sequence : null))
    this.#followed = partitions.map((partition) => ({
      address: addressOf(call, stream, partition),
      position: start[partition] ?? 0,
      highWatermark: 0,
      watch: null,
      failures: 0,
      restsUntilMs: 0,
    }))
  }

  /** Begins to watch all partitions; when one cannot be watched, none is. */
  async open(): Promise<Answer<null>> {
    const watched = allOf(await Promise.all(this.#followed.map((one) => this.#watch(one))))
    if (watched.status !== 'done' || this.#call.signal.aborted) this.close()
    if (watched.status !== 'done') return watched
    for (const one of this.#followed) {
      if (this.#position[one.address.partition] === null) this.#advance(one, one.highWatermark)
    }
    this.#call.signal.addEventListener('abort', () => this.close())
    return done(null)
  }

  /** What the client is to have next; null at the end. */
  async next(): Promise<string | null> {
    if (!this.#isOpened) {
      this.#isOpened = true
      return openingText(this.#unsent() ?? '')
    }
    for (;;) {
      if (this.#isClosed) return null
      const nowMs = Date.now()
      if (nowMs >= this.#call.expiresAtMs) this.#end = failure('unauthenticated', 'the token has expired', {})
      const text = this.#last() ?? (await this.#more(nowMs))
      if (text === '') continue
      this.#sentMs = Date.now()
      return text
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { watch } of this.#followed) if (watch !== null && watch !== 'opening') watch.close()
    this.#wake()
  }

  /** The last text, when the end has come: told, or without a word when the client is to come again for more. */
  #last(): string | null {
    const isSpent = this.#calls >= limits.tailCalls
    if (this.#end === null && !isSpent) return null
    this.close()
    return this.#end === null ? positionBlock(this.#unsent()) : endBlock(this.#unsent(), this.#end)
  }

  async #more(nowMs: number): Promise<string> {
    if (nowMs >= this.#sentMs + this.#restMs) {
      this.#restMs = HEARTBEAT_MS
      return heartbeatBlock(this.#unsent())
    }
    for (const one of this.#followed) {
      if (one.watch === null && one.restsUntilMs <= nowMs) void this.#watchAgain(one)
    }
    const behind = this.#turn(nowMs)
    return behind === null ? this.#sleep(nowMs) : this.#read(behind)
  }

  /** The next partition that has more, each in its turn. */
  #turn(nowMs: number): Followed | null {
    const all = this.#followed
    for (let at = 0; at < all.length; at++) {
      const one = all[(this.#next + at) % all.length]!
      if (one.highWatermark <= one.position || one.restsUntilMs > nowMs) continue
      this.#next = (this.#next + at + 1) % all.length
      return one
    }
    return null
  }

  /** Waits until something is told, or there is something to do that no one tells. */
  #sleep(nowMs: number): Promise<''> {
    const rests = this.#followed.map(({ restsUntilMs }) => restsUntilMs).filter((untilMs) => untilMs > nowMs)
    const untilMs = Math.min(this.#sentMs + this.#restMs, this.#call.expiresAtMs, ...rests)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), untilMs - nowMs)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve('')
      }
    })
  }

  async #read(one: Followed): Promise<string> {
    this.#calls += 1
    const answer = await ask(this.#call, one.address, {
      type: 'query',
      query: {
        selection: { ...everything, conditions: this.#conditions, after: one.position },
        order: { by: 'sequence', descending: false },
        position: null,
        highWatermark: null,
        limit: PAGE_EVENTS,
        maxBytes: PAGE_BYTES,
        maxLooked: LOOKED_CHARACTERS,
      },
    })
    if (answer.status !== 'done') {
      this.#fail(one, answer)
      return ''
    }
    one.failures = 0
    return this.#textOf(one, answer.value)
  }

  #textOf(one: Followed, { matches, next, highWatermark }: QueryPage): string {
    let text = ''
    for (const { key, event } of matches) {
      this.#advance(one, key.sequence)
      // Never null: a page has room for any event.
      text += eventBlock(this.#unsent()!, event!)
    }
    one.highWatermark = Math.max(one.highWatermark, highWatermark)
    this.#advance(one, next === null ? highWatermark : next.sequence)
    return text
  }

  async #watchAgain(one: Followed): Promise<void> {
    const watched = await this.#watch(one)
    if (watched.status === 'done') one.failures = 0
    else this.#fail(one, watched)
    this.#wake()
  }

  async #watch(one: Followed): Promise<Answer<null>> {
    this.#calls += 1
    one.watch = 'opening'
    let hasEnded = false
    const answer = await watch(this.#call, one.address, {
      told: (highWatermark) => {
        one.highWatermark = Math.max(one.highWatermark, highWatermark)
        this.#wake()
      },
      ended: (isGone) => {
        hasEnded = true
        one.watch = null
        if (isGone) this.#end ??= noStream(this.#stream.name).failure
        else this.#rest(one)
        this.#wake()
      },
    })
    one.watch = answer.status === 'done' && !hasEnded ? answer.value : null
    if (answer.status !== 'done') return answer
    if (this.#isClosed) answer.value.close()
    one.highWatermark = Math.max(one.highWatermark, answer.value.highWatermark)
    return done(null)
  }

  /** A partition that cannot be reached is tried again; that it has gone, or says anything else, is the end. */
  #fail(one: Followed, answer: Exclude<Answer<unknown>, { status: 'done' }>): void {
    if (answer.status === 'moved') this.#end ??= noStream(this.#stream.name).failure
    else if (isOutage(answer.failure)) this.#rest(one)
    else this.#end ??= answer.failure
  }

  #rest(one: Followed): void {
    const boundMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** one.failures)
    one.failures += 1
    one.restsUntilMs = Date.now() + boundMs * (0.5 + Math.random() / 2)
  }

  #advance(one: Followed, sequence: number): void {
    const { partition } = one.address
    if (this.#position[partition] !== null && sequence <= one.position) return
    one.position = sequence
    this.#position[partition] = sequence
    this.#isTextSent = false
    this.#text = null
  }

  /** The position, if the client does not have it; it is taken to have it afterwards. */
  #unsent(): string | null {
    if (this.#isTextSent) return null
    this.#isTextSent = true
    this.#text ??= formatPosition(this.#stream.uid, this.#position)
    return this.#text
  }
}
