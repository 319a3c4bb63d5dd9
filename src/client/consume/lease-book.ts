import type { Code } from '../failure.ts'
import type { LostCause } from './event.ts'
import type { Held, HeldLeases } from './held-leases.ts'
import { ruleOf, ruleOfError, type SettleRule } from './settle-rule.ts'

/** How a settle call names its leases. */
export interface Named {
  readonly leaseIds?: readonly string[]
  readonly receipts?: readonly string[]
}

type Leases = HeldLeases<unknown>

/**
 * What the lease streams of a client hold. Settles of the client pass through it, so that whatever settles a lease frees
 * its place in the stream that it came from.
 */
export class LeaseBook {
  readonly #streams = new Set<Leases>()

  /** Enters the leases of a stream, and gives what takes them out. */
  open<P>(leases: HeldLeases<P>): () => void {
    const entry = leases as unknown as Leases
    this.#streams.add(entry)
    return () => void this.#streams.delete(entry)
  }

  /** Follows a settle call. `codeOf` gives the code of a lease's failure in its answer, null when it was settled. */
  async follow<T>(
    named: Named,
    codeOf: (answer: T, lease: { readonly leaseId: string; readonly receipt: string }) => Code | null,
    call: () => Promise<T>,
  ): Promise<T> {
    const found = this.#streams.size === 0 ? [] : [...this.#find(named)]
    for (const [leases, held] of found) leases.setMode(held, 'sent')
    try {
      const answer = await call()
      for (const [leases, held] of found) {
        const code = codeOf(answer, held.lease)
        if (code === null) leases.remove(held)
        else fail(leases, held, ruleOf(code), code)
      }
      return answer
    } catch (error) {
      for (const [leases, held] of found) fail(leases, held, ruleOfError(error), (error as { code?: Code }).code)
      throw error
    }
  }

  *#find({ leaseIds = [], receipts = [] }: Named): Iterable<readonly [Leases, Held<unknown>]> {
    for (const leases of this.#streams) {
      for (const leaseId of leaseIds) {
        const held = leases.get(leaseId)
        if (held !== undefined) yield [leases, held]
      }
      if (receipts.length === 0) continue
      const named = new Set(receipts)
      for (const held of leases.values()) if (named.has(held.lease.receipt)) yield [leases, held]
    }
  }
}

/** As a consumer does, except that after a definite failure the lease stays in the hands of who settled it. */
function fail(leases: Leases, held: Held<unknown>, rule: SettleRule, code: Code | undefined): void {
  if (rule === 'lost') leases.lose(held, code as LostCause)
  else leases.setMode(held, rule === 'expire' ? 'left' : 'renewed')
}
