import type { HonoJsonWebKey } from 'hono/utils/jwt/jws'

/** How long fetched keys are used, and how soon at the earliest an unknown key lets them be fetched again. */
const FRESH_MS = 600_000
const REFETCH_MS = 10_000
const TIMEOUT_MS = 5_000

/** The keys could not be fetched: nothing is known of the token. */
export class JwksUnreachable extends Error {}

interface Fetched {
  readonly url: string
  readonly atMs: number
  readonly keys: HonoJsonWebKey[]
}

/** The public keys of an issuer, as an isolate remembers them. */
export class JwksCache {
  #fetched: Fetched | null = null

  /** Runs a check with the keys, and once more with fresh ones when it fails: the issuer may have a new key. */
  async withKeys<T>(url: string, check: (keys: HonoJsonWebKey[]) => Promise<T>): Promise<T> {
    const known = this.#fetched
    const isFresh = known !== null && known.url === url && Date.now() - known.atMs < FRESH_MS
    const used = isFresh ? known : await this.#fetch(url)
    try {
      return await check(used.keys)
    } catch (error) {
      if (Date.now() - used.atMs < REFETCH_MS) throw error
      return check((await this.#fetch(url)).keys)
    }
  }

  async #fetch(url: string): Promise<Fetched> {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      const { keys } = (await response.json()) as { keys: HonoJsonWebKey[] }
      if (!response.ok || !Array.isArray(keys)) throw new Error(`answers ${response.status} without keys`)
      this.#fetched = { url, atMs: Date.now(), keys }
      return this.#fetched
    } catch (error) {
      console.error(`cannot fetch ${url}`, error)
      throw new JwksUnreachable()
    }
  }
}
