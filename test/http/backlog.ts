import { formatLeaseId, formatReceipt } from '../../src/core/lease-id.ts'
import { type Answer, done, type EmptyReason, type Fetched } from '../../src/core/partition/commands.ts'
import type { Received } from './fake-backend.ts'

/** Partitions that hold so many deliveries each and give them out; the events are of no weight. */
export class Backlog {
  readonly left: number[]
  readonly reason: (partition: number) => EmptyReason
  #sequence = 0

  constructor(left: readonly number[], reason: (partition: number) => EmptyReason = () => 'caught_up') {
    this.left = [...left]
    this.reason = reason
  }

  /** The answer to a fetch, or to the question whether there is work. */
  give({ partition, command }: Received): Answer<Fetched | { reason: EmptyReason | null }> {
    if (command.type === 'work') return done({ reason: this.left[partition]! > 0 ? null : this.reason(partition) })
    if (command.type !== 'fetch') throw new Error(`nobody expected ${command.type}`)
    const { limit, token } = command.fetch
    const count = Math.min(limit, this.left[partition]!)
    if (count === 0) return done({ count: 0, bytes: 0, receipt: null, leases: '', reason: this.reason(partition) })
    this.left[partition]! -= count
    const first = this.#sequence + 1
    this.#sequence += count
    const receipt = formatReceipt({ partition, first, last: this.#sequence, count, token })
    const leases = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ leaseId: formatLeaseId({ partition, sequence: first + index, token }), receipt, partition }),
    )
    return done({ count, bytes: count, receipt, leases: leases.join(','), reason: null })
  }
}
