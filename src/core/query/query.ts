import type { Condition } from './condition.ts'

/** Which events a search or a replay is after; all parts hold together. Bounds are inclusive but for `after`. */
export interface Selection {
  readonly conditions: readonly Condition[]
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly after: number
  readonly until: number | null
}

export const everything: Selection = { conditions: [], fromMs: null, toMs: null, after: 0, until: null }

export interface Order {
  readonly by: 'sequence' | 'timestamp'
  readonly descending: boolean
}

/** Where an event stands in an order within its partition; `timestampMs` counts only in the order by timestamp. */
export interface Key {
  readonly timestampMs: number
  readonly sequence: number
}

/** Negative when `a` comes before `b`. */
export function compareKeys(order: Order, a: Key, b: Key): number {
  const byTime = order.by === 'timestamp' ? a.timestampMs - b.timestampMs : 0
  const difference = byTime !== 0 ? byTime : a.sequence - b.sequence
  return order.descending ? -difference : difference
}
