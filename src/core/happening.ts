import type { Cause } from './delivery.ts'
import type { Code } from './failure.ts'

/** What became of a command in a partition, by the words of the client: a nack is a retry. */
export type CommandHappening =
  | 'append'
  | 'fetch'
  | 'ack'
  | 'retry'
  | 'reject'
  | 'renew'
  | 'release'
  | 'replay'
  | 'redrive'
  | 'reset'

/** What happened to a group in a partition, whoever or whatever was the cause. */
export type GroupHappening =
  | { readonly event: 'redelivery'; readonly group: string; readonly count: number }
  | { readonly event: 'dead_letter'; readonly group: string; readonly count: number; readonly cause: Cause }
  | { readonly event: 'frontier'; readonly group: string; readonly from: number; readonly to: number }

/**
 * One thing that happened, for those who watch. It tells who, where, how many and how it ended, and never anything of
 * what is in an event, nor a key, an id, a reason or a token that a caller chose.
 */
export interface Happening {
  readonly event: CommandHappening | GroupHappening['event'] | 'call'
  readonly tenant: string
  readonly stream: string
  readonly group: string
  /** Null where it is no single one. */
  readonly partition: number | null
  readonly result: 'ok' | 'failed'
  readonly code: Code | null
  readonly [detail: string]: string | number | null
}

/** Takes note of what happens; it neither throws nor keeps anybody waiting. */
export type Publish = (happening: Happening) => void
