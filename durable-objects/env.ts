import type { CatalogReply, Reply } from '../src/core/backend.ts'
import type { CatalogCommand, CatalogCommandName, CatalogOut } from '../src/core/catalog/commands.ts'
import type { Address, Command, CommandName, CommandOut } from '../src/core/partition/commands.ts'

/** The methods of a partition's object that others call. */
export interface PartitionRpc {
  run<N extends CommandName>(
    address: Address,
    command: Command<N>,
    testNowMs: number | null,
  ): Promise<Reply<CommandOut<N>>>
  /** Empties the partition for good. */
  purge(address: Address): Promise<void>
}

/** The methods of a catalog's object that others call. */
export interface CatalogRpc {
  run<N extends CatalogCommandName>(
    tenant: string,
    command: CatalogCommand<N>,
    testNowMs: number | null,
  ): Promise<CatalogReply<CatalogOut<N>>>
}

/** The bindings of wrangler.toml. */
export interface Env {
  readonly PARTITIONS: DurableObjectNamespace
  readonly CATALOGS: DurableObjectNamespace
  /** The pages; absent where none were built. */
  readonly SITE?: Fetcher
  readonly RHEO_AUTH?: string
  readonly RHEO_OPEN_HOSTS?: string
  readonly RHEO_CORS_ORIGINS?: string
  readonly RHEO_TEST_CLOCK?: string
  readonly RHEO_PARTITION_MAX_BYTES?: string
}
