import { catalogName, partitionName } from '../src/core/object-name.ts'
import type { Address } from '../src/core/partition/commands.ts'
import type { CatalogRpc, Env, PartitionRpc } from './env.ts'

type Stub<T> = T & Pick<Fetcher, 'fetch'>

// A stub is made for each call: one that has seen an exception may stay broken. The casts stand for what the platform's
// types make of generic methods, which is `never`.

export const partitionStub = (env: Env, address: Address): Stub<PartitionRpc> =>
  env.PARTITIONS.get(env.PARTITIONS.idFromName(partitionName(address))) as unknown as Stub<PartitionRpc>

export const catalogStub = (env: Env, tenant: string): Stub<CatalogRpc> =>
  env.CATALOGS.get(env.CATALOGS.idFromName(catalogName(tenant))) as unknown as Stub<CatalogRpc>
