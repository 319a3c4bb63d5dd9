/** The states of a delivery (SEMANTICS S1). */
export type DeliveryState = 'undelivered' | 'available' | 'delayed' | 'leased' | 'acked' | 'rejected' | 'skipped'

/**
 * What can happen to a delivery.
 * `retry` and `postpone` are a nack or an expiry that leads back to work at once or later; `bury` is whatever
 * dead-letters it (a reject, or attempts used up); `become due` ends a delay; `reopen` is replay and redrive.
 */
export type DeliveryEvent =
  | 'lease'
  | 'ack'
  | 'retry'
  | 'postpone'
  | 'bury'
  | 'renew'
  | 'release'
  | 'becomeDue'
  | 'reopen'

/** Why a delivery was dead-lettered. */
export type Cause = 'rejected' | 'max_attempts' | 'lease_expired'

type Table = Record<DeliveryState, Record<DeliveryEvent, DeliveryState | null>>

const refused = {
  lease: null,
  ack: null,
  retry: null,
  postpone: null,
  bury: null,
  renew: null,
  release: null,
  becomeDue: null,
  reopen: null,
} as const

/** Every state and every event; `null` means that the event cannot happen there. */
export const transitions: Table = {
  undelivered: { ...refused, lease: 'leased' },
  available: { ...refused, lease: 'leased', reopen: 'available' },
  delayed: { ...refused, becomeDue: 'available', reopen: 'available' },
  leased: {
    ...refused,
    ack: 'acked',
    retry: 'available',
    postpone: 'delayed',
    bury: 'rejected',
    renew: 'leased',
    release: 'available',
    reopen: 'available',
  },
  acked: { ...refused, reopen: 'available' },
  rejected: { ...refused, reopen: 'available' },
  skipped: { ...refused, reopen: 'available' },
}

/** The state after `event`. Throws where the table refuses it: the caller must not have let it come to that. */
export function transition(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  const next = transitions[state][event]
  if (next === null) throw new Error(`a delivery that is ${state} cannot ${event}`)
  return next
}
