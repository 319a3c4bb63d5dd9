/** A call of the API with everything about it right, as long as its stream and its group exist. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH'
  /** `{s}` stands for a stream, `{g}` for a group. */
  path: string
  body?: Record<string, unknown>
}

const settleBody = { leaseId: 'no-lease' }

/** Every endpoint that takes a body. */
export const endpointsWithBody: readonly Endpoint[] = [
  { method: 'POST', path: '/v1/streams', body: { name: 'orders' } },
  { method: 'POST', path: '/v1/streams/{s}/events', body: { payload: {} } },
  { method: 'POST', path: '/v1/streams/{s}/groups', body: { name: 'billing' } },
  { method: 'PATCH', path: '/v1/streams/{s}/groups/{g}', body: { leaseMs: 30_000 } },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/fetch', body: { limit: 1 } },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/ack', body: settleBody },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/nack', body: settleBody },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/reject', body: settleBody },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/renew', body: settleBody },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/release', body: settleBody },
  {
    method: 'POST',
    path: '/v1/streams/{s}/groups/{g}/settle',
    body: { items: [{ leaseId: 'no-lease', outcome: 'ack' }] },
  },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/leases/release', body: { consumerId: 'worker' } },
  { method: 'POST', path: '/v1/streams/{s}/query', body: { limit: 1 } },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/replay', body: { fromSequence: 0 } },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/reset', body: { confirm: true } },
  { method: 'POST', path: '/v1/streams/{s}/groups/{g}/dead-letters/redrive', body: { all: true } },
]

/** Every endpoint that only reads a stream or its groups. */
export const endpointsWithoutBody: readonly Endpoint[] = [
  { method: 'GET', path: '/v1/streams' },
  { method: 'GET', path: '/v1/streams/{s}' },
  { method: 'GET', path: '/v1/streams/{s}/events' },
  { method: 'GET', path: '/v1/streams/{s}/groups' },
  { method: 'GET', path: '/v1/streams/{s}/groups/{g}' },
  { method: 'GET', path: '/v1/streams/{s}/groups/{g}/lag' },
  { method: 'GET', path: '/v1/streams/{s}/groups/{g}/holes' },
  { method: 'GET', path: '/v1/streams/{s}/groups/{g}/leases' },
  { method: 'GET', path: '/v1/streams/{s}/groups/{g}/dead-letters' },
]

export const endpoints: readonly Endpoint[] = [...endpointsWithBody, ...endpointsWithoutBody]

/** The endpoint's path with its names filled in. */
export function pathOf(endpoint: Endpoint, stream: string, group: string): string {
  return endpoint.path.replace('{s}', stream).replace('{g}', group)
}

/** True when the endpoint is about one stream. */
export function hasStream(endpoint: Endpoint): boolean {
  return endpoint.path.includes('{s}')
}

/** True when the endpoint is about one group. */
export function hasGroup(endpoint: Endpoint): boolean {
  return endpoint.path.includes('{g}')
}
