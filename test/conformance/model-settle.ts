import type { In } from '../model/calls.ts'
import { given, type PartitionWords } from './model-words.ts'

type Verb = In<'settle'>['items'][number]['outcome'] | 'renew'

/** One lease on its way to be settled or renewed, in the words of its partition. */
export interface WireItem {
  readonly verb: Verb
  readonly fields: Record<string, unknown>
}

interface How {
  readonly reason: string | null
  readonly delayMs: number | null
}

/** What of `reason` and `delayMs` goes with a verb. */
const howOf = (verb: Verb, { reason, delayMs }: How): Record<string, unknown> => {
  if (verb === 'nack') return given({ reason, delayMs })
  return verb === 'reject' ? given({ reason }) : {}
}

/** The leases of a settle or a renew. */
export function toItems(words: PartitionWords, call: { type: 'settle' } & In<'settle'>): WireItem[]
export function toItems(words: PartitionWords, call: { type: 'renew' } & In<'renew'>): WireItem[]
export function toItems(
  words: PartitionWords,
  call: ({ type: 'settle' } & In<'settle'>) | ({ type: 'renew' } & In<'renew'>),
): WireItem[] {
  return call.items.map((item) => {
    const names = given({ leaseId: words.toText(item.lease), receipt: item.receipt && words.toText(item.receipt) })
    if (!('outcome' in item)) return { verb: 'renew', fields: { ...names, ...given({ leaseMs: item.leaseMs }) } }
    return { verb: item.outcome, fields: { ...names, ...howOf(item.outcome, item) } }
  })
}

/** A request that settles leases or claims, and how its answer is to be read. */
export interface SettleRequest {
  readonly path: string
  readonly body: Record<string, unknown>
  readonly form: 'one' | 'many'
}

/** One lease goes to its verb, leases of one verb together, and a mixture to `settle`: all forms that there are. */
export function settleRequest(items: readonly WireItem[]): SettleRequest {
  const [first] = items
  const { verb } = first!
  if (items.length === 1) return { path: `/${verb}`, body: first!.fields, form: 'one' }
  if (items.every((item) => item.verb === verb)) {
    return { path: `/${verb}`, body: { leases: items.map(({ fields }) => fields) }, form: 'many' }
  }
  return {
    path: '/settle',
    body: { items: items.map((item) => ({ ...item.fields, outcome: item.verb })) },
    form: 'many',
  }
}

export function claimsRequest(receipts: readonly string[], { outcome, ...how }: In<'settleClaims'>): SettleRequest {
  return { path: `/${outcome}`, body: { receipts, ...howOf(outcome, how) }, form: 'many' }
}
