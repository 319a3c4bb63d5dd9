import type { scopes } from '../../src/http/principal.ts'

/** What a caller needs for a route. */
export type Needs = (typeof scopes)[number] | 'any' | 'open'

const s = '/v1/streams/:stream'
const g = `${s}/groups/:group`
const settleBody = { leaseId: 'none' }

const given: readonly (readonly [method: string, path: string, needs: Needs, body?: object])[] = [
  ['GET', '/v1/health', 'open'],
  ['GET', '/v1/capabilities', 'any'],
  ['GET', '/v1/metrics', 'read'],
  ['POST', '/v1/streams', 'admin', { name: 'orders' }],
  ['GET', '/v1/streams', 'read'],
  ['GET', s, 'read'],
  ['DELETE', s, 'admin'],
  ['POST', `${s}/events`, 'append', {}],
  ['GET', `${s}/events`, 'read'],
  ['GET', `${s}/events/:event`, 'read'],
  ['GET', `${s}/tail`, 'read'],
  ['POST', `${s}/query`, 'read', {}],
  ['POST', `${s}/groups`, 'admin', { name: 'billing' }],
  ['GET', `${s}/groups`, 'read'],
  ['GET', g, 'read'],
  ['PATCH', g, 'admin', {}],
  ['DELETE', g, 'admin'],
  ['GET', `${g}/lag`, 'read'],
  ['GET', `${g}/holes`, 'read'],
  ['GET', `${g}/leases`, 'read'],
  ['POST', `${g}/leases/release`, 'admin', { consumerId: 'worker' }],
  ['GET', `${g}/dead-letters`, 'read'],
  ['POST', `${g}/dead-letters/redrive`, 'admin', { all: true }],
  ['POST', `${g}/fetch`, 'consume', {}],
  ['POST', `${g}/ack`, 'consume', settleBody],
  ['POST', `${g}/nack`, 'consume', settleBody],
  ['POST', `${g}/reject`, 'consume', settleBody],
  ['POST', `${g}/renew`, 'consume', settleBody],
  ['POST', `${g}/release`, 'consume', settleBody],
  ['POST', `${g}/settle`, 'consume', { items: [{ leaseId: 'none', outcome: 'ack' }] }],
  ['POST', `${g}/replay`, 'admin', { fromSequence: 0 }],
  ['POST', `${g}/reset`, 'admin', { confirm: true }],
]
/** Every route with the scope that the contract gives it and, where it has one, a body that is right. */
export const table = given.map(([method, path, needs, body]) => [method, path, needs, body] as const)
