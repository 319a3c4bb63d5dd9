import { limits } from '../limits.ts'

/** What a machine is told once. */
export interface Settings {
  /**
   * Whether times in storage are of the clock that the machine goes by. Then that clock does not go back behind them,
   * also over an eviction (S9.1).
   */
  readonly trustsStoredTimes: boolean
  /** Told once of what is wrong with the rows of a group, and of expiries that fail. */
  readonly report: (detail: string, fault: unknown) => void
  /** How many idempotency keys it remembers. */
  readonly idempotencyKeys: number
}

/** Of a machine that is told nothing. */
export const defaultSettings: Settings = {
  trustsStoredTimes: true,
  report: () => {},
  idempotencyKeys: limits.idempotencyKeys,
}
