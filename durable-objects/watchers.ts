import { limits } from '../src/core/limits.ts'
import type { Address } from '../src/core/partition/commands.ts'

/** What a watch asks of a partition; a request with a socket has no body, so this is the value of a header. */
export interface WatchRequest {
  readonly address: Address
  readonly testNowMs: number | null
}

export const WATCH = 'Rheo-Watch'
/** The header of the answer that says where the watch begins. */
export const HIGH_WATERMARK = 'Rheo-High-Watermark'

/** What a watcher is reached by. */
export type Socket = Pick<WebSocket, 'send' | 'close'>

/** The code with which a socket is closed whose partition has gone with its stream. */
export const GONE = 4_404

/** How far apart tellings are at least: whoever is told comes to read, and all of them together 500 times a second. */
const TELL_MS = 100
const TELL_MS_PER_WATCHER = 2

/**
 * Those who watch a partition. Their sockets are the platform's to hold: the object may sleep beneath them, and has
 * neither a timer nor a call under way while nothing is appended.
 */
export class Watchers {
  readonly #ctx: Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets'>
  /** False once there are surely none, so that an append need not ask. */
  #mayBeAny = true
  #highWatermark = 0
  #toldMs = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(ctx: Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets'>) {
    this.#ctx = ctx
  }

  /** Takes one in; false when there are as many as there may be. */
  accept(socket: Socket): boolean {
    if (this.#sockets().length >= limits.watchersPerPartition) return false
    this.#ctx.acceptWebSocket(socket as WebSocket)
    this.#mayBeAny = true
    return true
  }

  /** Tells all of the high watermark, unless they know it: at once, or as soon after the last telling as may be. */
  tell(highWatermark: () => number): void {
    if (!this.#mayBeAny) return
    const sockets = this.#sockets()
    if (sockets.length === 0) {
      this.#mayBeAny = false
      return
    }
    const reached = highWatermark()
    if (reached === this.#highWatermark) return
    this.#highWatermark = reached
    if (this.#timer !== null) return
    const waitMs = this.#toldMs + Math.max(TELL_MS, TELL_MS_PER_WATCHER * sockets.length) - Date.now()
    if (waitMs <= 0) this.#send()
    else this.#timer = setTimeout(() => this.#send(), waitMs)
  }

  /** Ends all watches: the partition has gone with its stream. */
  dismiss(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const socket of this.#sockets()) socket.close(GONE)
  }

  #send(): void {
    this.#timer = null
    this.#toldMs = Date.now()
    for (const socket of this.#sockets()) {
      try {
        socket.send(`${this.#highWatermark}`)
      } catch {
        // It is being closed; whoever held it watches anew.
      }
    }
  }

  #sockets(): readonly Socket[] {
    return this.#ctx.getWebSockets()
  }
}
