import type { ArgsDef } from 'citty'
import type { Rheo } from '../client/index.ts'
import type { Io } from './io.ts'

/** What a command is given for its flags and arguments. Citty's own type forgets what may be missing. */
export type Parsed<A extends ArgsDef> = {
  readonly [K in keyof A]: A[K] extends { type: 'boolean' }
    ? boolean | undefined
    : A[K] extends { type: 'positional'; required: false }
      ? string | undefined
      : A[K] extends { type: 'positional' } | { required: true }
        ? string
        : string | undefined
}

export interface Context<A extends ArgsDef> {
  readonly args: Parsed<A>
  /** Arguments behind those that have names. */
  readonly rest: readonly string[]
  readonly rheo: Rheo
  readonly url: string
  readonly tenant: string | undefined
  readonly token: string | undefined
  /** Who said where the server is and how it is called. */
  readonly origin: string
  /** The tenant and who said so, unless the command line did. */
  readonly tenantOrigin: string | undefined
  readonly json: boolean
  readonly io: Io
  /** Writes an answer: with --json as one line of JSON, else as `human` gives it. */
  print(answer: unknown, human: () => string): Promise<void>
  /** Code and detail of a failure, in one line. */
  explain(error: unknown): string
}

/** One command. */
export interface Command<A extends ArgsDef = ArgsDef> {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly args: A
  /** It calls no server, and takes of the settings only what it has flags for. */
  readonly isOffline?: boolean
  /** What arguments behind the named ones are called; none are taken without it. */
  readonly rest?: string
  /** Whole command lines, without `rheo` in front. */
  readonly examples: readonly string[]
  /** Gives the exit code; 0 without one. */
  run(context: Context<A>): Promise<number | undefined>
}

/** Commands under a common name. */
export interface CommandGroup {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly commands: readonly (Command | CommandGroup)[]
}

/** Keeps the types of a command's flags for its `run`. */
export const command = <const A extends ArgsDef>(definition: Command<A>): Command => definition as unknown as Command
