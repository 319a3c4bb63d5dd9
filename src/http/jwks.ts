import type { HonoJsonWebKey } from 'hono/utils/jwt/jws'

/** How long fetched keys are used without asking for them again. */
const FRESH_MS = 600_000
/** How long they are used at most, while their issuer cannot be reached. */
const STALE_MS = 3_600_000
/** How soon at the earliest keys are fetched again, whatever tokens come: bad ones must not hammer the issuer. */
const REFETCH_MS = 5_000
const TIMEOUT_MS = 3_000

/** The keys could not be fetched: nothing is known of the token. */
export class JwksUnreachable extends Error {}

interface Fetched {
  readonly url: string
  readonly atMs: number
  readonly keys: HonoJsonWebKey[]
}

/** The last time that keys were asked for; null when none came. */
interface Attempt {
  readonly url: string
  readonly atMs: number
  readonly fetched: Promise<Fetched | null>
}

/** The public keys of an issuer, as an isolate remembers them. */
export class JwksCache {
  #known: Fetched | null = null
  #attempt: Attempt | null = null

  /**
   * Keys among which that of `kid` is, if the issuer has one: an unknown one may be new, and is asked for. Requests that
   * want to know at the same time share one fetch, which `keepAlive` keeps going when the request that began it ends.
   */
  async keysFor(url: string, kid: string, keepAlive: (work: Promise<unknown>) => void): Promise<HonoJsonWebKey[]> {
    const nowMs = Date.now()
    const known = this.#known?.url === url && this.#known.keys.some((key) => key.kid === kid) ? this.#known : null
    if (known !== null && nowMs - known.atMs < FRESH_MS) return known.keys
    if (this.#attempt === null || this.#attempt.url !== url || nowMs - this.#attempt.atMs >= REFETCH_MS) {
      this.#attempt = { url, atMs: nowMs, fetched: this.#fetch(url, nowMs) }
      keepAlive(this.#attempt.fetched)
    }
    const fetched = await this.#attempt.fetched
    if (fetched !== null) return fetched.keys
    if (known !== null && nowMs - known.atMs < STALE_MS) return known.keys
    throw new JwksUnreachable()
  }

  async #fetch(url: string, atMs: number): Promise<Fetched | null> {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (!response.ok) throw new Error(`answers ${response.status}`)
      const { keys } = (await response.json()) as { keys: (HonoJsonWebKey | null)[] }
      this.#known = { url, atMs, keys: keys.filter((key) => typeof key?.kid === 'string') as HonoJsonWebKey[] }
      return this.#known
    } catch (error) {
      console.error(`the keys at ${withoutSecrets(url)} cannot be fetched: ${String(error).replaceAll(url, '…')}`)
      return null
    }
  }
}

/** A URL as a log may show it: some issuers take a password or a key in theirs. */
function withoutSecrets(text: string): string {
  const { origin, pathname } = new URL(text)
  return origin + pathname
}
