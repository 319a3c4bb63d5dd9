import { Lru } from './lru.ts'
import type { Principal } from './principal.ts'

/** How long a token is taken without a new look at its signature: keys may be withdrawn. */
const KEPT_MS = 60_000
/** A longer token is checked each time. */
const KEPT_CHARACTERS = 2_048

interface Verified {
  readonly principal: Principal
  readonly settings: string
  readonly untilMs: number
}

/**
 * Tokens whose signature was found good a moment ago: to check it takes a quarter of the time of an append. Each was
 * checked under some settings, secrets among them, and counts under no others.
 */
export class VerifiedTokens {
  readonly #tokens: Lru<Verified>

  constructor(bound: number) {
    this.#tokens = new Lru(bound)
  }

  /** Whose token it is, if that is known still to hold. */
  get(token: string, settings: string, nowMs: number): Principal | null {
    const known = this.#tokens.get(token)
    return known !== undefined && known.settings === settings && nowMs < known.untilMs ? known.principal : null
  }

  add(token: string, settings: string, principal: Principal, nowMs: number): void {
    if (token.length > KEPT_CHARACTERS) return
    const untilMs = Math.min(principal.expiresAtMs, nowMs + KEPT_MS)
    this.#tokens.set(token, { principal, settings, untilMs })
  }
}
