export { StreamPartition } from '../durable-objects/stream-partition.ts'
export { TenantCatalog } from '../durable-objects/tenant-catalog.ts'

export default {
  fetch: () => new Response('no edge yet', { status: 503 }),
}
