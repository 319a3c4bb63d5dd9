import type { Clock } from './clock.ts'

/** The part of `fetch` that the SDK uses; that of browsers, Node, Deno, Bun, Workers and service bindings fits. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; signal: AbortSignal; body?: string },
) => Promise<{
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Only `tail` needs it. */
  readonly body?: ReadableStream<Uint8Array> | null
  text(): Promise<string>
}>

/** How calls that are safe to repeat are repeated: full jitter, and never before the server's `Retry-After`. */
export interface RetryOptions {
  /** Tries in all, the first one included; 4 unless given. */
  readonly attempts?: number | undefined
  /** Upper bound of the first pause in milliseconds, doubled with each try; 100 unless given. */
  readonly baseMs?: number | undefined
  /** Upper bound of every pause in milliseconds; 5 000 unless given. */
  readonly maxMs?: number | undefined
}

/** Where the server is and how it is called. */
export interface RheoOptions {
  /** Where the server listens, such as `https://rheo.example.com`. It can be left out when `fetch` is a service binding's. */
  readonly url?: string | undefined
  /** What makes the calls; the global `fetch` unless given. */
  readonly fetch?: Fetch | undefined
  /** The bearer token, or what gives one before each try. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** The tenant where the server runs open; with a token that of the token counts, and another is `forbidden`. */
  readonly tenant?: string | undefined
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long one try may take, in milliseconds; 30 000 unless given. The wait of a fetch comes on top. */
  readonly timeoutMs?: number | undefined
  /** `false` repeats nothing. */
  readonly retry?: RetryOptions | false | undefined
  /**
   * Calls of `append`, and single settles, that are made while another one of the same stream or group is in flight go
   * out together as the next request. `false` sends each by itself.
   */
  readonly gather?: boolean | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}
