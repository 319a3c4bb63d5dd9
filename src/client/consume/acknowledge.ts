import type { RheoError } from '../errors.ts'
import type { LeaseRef } from '../lease.ts'
import type { Settled, VerbOptions } from '../settle.ts'
import type { Outcome } from './outcome.ts'
import { ruleOfError } from './settle-rule.ts'

/** The settles of a client. */
export interface Settles {
  ack(lease: LeaseRef): Promise<Settled>
  nack(lease: LeaseRef, options?: VerbOptions['nack']): Promise<Settled>
  reject(lease: LeaseRef, options?: VerbOptions['reject']): Promise<Settled>
}

/** Settles a lease by an outcome; what fails is handled by the rule (S7) and then thrown. */
export async function acknowledge(settles: Settles, lease: LeaseRef, outcome: Outcome): Promise<void> {
  if (outcome.outcome === 'retry') await settles.nack(lease, outcome)
  else if (outcome.outcome === 'reject') await settles.reject(lease, outcome)
  else {
    try {
      await settles.ack(lease)
    } catch (error) {
      if (ruleOfError(error) === 'nack') {
        await settles.nack(lease, { reason: `the ack failed: ${(error as RheoError).code}` }).catch(() => undefined)
      }
      throw error
    }
  }
}
