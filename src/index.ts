import { createBackend } from '../durable-objects/backend.ts'
import { publish } from '../durable-objects/diagnostics.ts'
import type { Env } from '../durable-objects/env.ts'
import { createEdge } from './http/edge.ts'
import { version } from './version.ts'

export { StreamPartition } from '../durable-objects/stream-partition.ts'
export { TenantCatalog } from '../durable-objects/tenant-catalog.ts'

const edge = createEdge<Env>({
  version,
  mechanisms: { storage: 'durable-objects-sqlite', durable: true, distributed: true },
  connect: createBackend,
  site: (env) => env.SITE ?? null,
  publish,
})

export default { fetch: edge.fetch }
