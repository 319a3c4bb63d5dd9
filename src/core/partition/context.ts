import type { Address } from './commands.ts'
import type { PartitionStore } from './store.ts'

/** What every command works with: the partition's rows, who it is, and the one time that holds during the command. */
export interface Context {
  readonly store: PartitionStore
  readonly address: Address
  readonly nowMs: number
  /** Told of the due time of each lease and delay that is written. */
  readonly schedule: (dueMs: number) => void
}
