import type { Readable } from 'node:stream'
import type { Fetch } from '../client/index.ts'

/** All that the commands know of the process they run in, so that a test can stand in for it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  /** Whether somebody can be asked, and sees progress. */
  readonly isInteractive: boolean
  /** What makes the calls; the global `fetch` unless given. */
  readonly fetch?: Fetch | undefined
  /** Writes to stdout; resolves when there is room for more. */
  out(text: string): Promise<void>
  /** Writes to stderr. */
  err(text: string): void
  /** Calls back on each Ctrl-C or SIGTERM instead of ending the process; gives what takes that back. */
  onInterrupt(listener: () => void): () => void
}
