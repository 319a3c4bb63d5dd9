import type { Address } from './commands.ts'
import type { GroupMemory } from './group-memory.ts'
import type { PartitionStore } from './store.ts'

/** What every command works with: the partition's rows, who it is, and the one time that holds during the command. */
export interface Context {
  readonly store: PartitionStore
  readonly address: Address
  readonly nowMs: number
  /** Told of every lease, delay and open run that is written. */
  readonly memory: GroupMemory
}
