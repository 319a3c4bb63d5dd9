import type { Result } from '../core/failure.ts'
import { failed, failure } from '../core/failure.ts'

/** What a call may do; none implies another. */
export const scopes = ['append', 'consume', 'read', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Who calls, and what that caller may touch. */
export interface Principal {
  readonly tenant: string
  readonly scopes: ReadonlySet<Scope>
  /** Names of streams, or beginnings of names that end in `*`; null for all streams. */
  readonly streams: readonly string[] | null
  /** When this ends to hold, by the machine's clock. */
  readonly expiresAtMs: number
}

/** Whether a principal may touch a stream, existing or not. */
export const covers = ({ streams }: Pick<Principal, 'streams'>, name: string): boolean =>
  streams === null ||
  streams.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name))

export const unauthenticated = (detail: string): Result<never> => failed(failure('unauthenticated', detail, {}))

export const forbidden = (detail: string): Result<never> => failed(failure('forbidden', detail, {}))
