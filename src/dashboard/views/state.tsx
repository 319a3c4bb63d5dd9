import type { DeliveryState } from '../../client/index.ts'

/** The state of a delivery: a word, and a colour beside it. */
export const StateBadge = ({ state }: { readonly state: DeliveryState }) => (
  <span class={`badge ${state}`}>{state}</span>
)
