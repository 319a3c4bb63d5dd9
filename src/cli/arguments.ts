import type { ArgsDef } from 'citty'
import type { JsonObject } from '../client/index.ts'
import { UsageError } from './usage-error.ts'

const json = { type: 'boolean', description: 'Answer in JSON, also failures' } as const

/** Every command that calls a server takes these. */
export const connectionArgs = {
  url: { type: 'string', description: 'Where the server is (RHEO_URL, else http://localhost:8787)', valueHint: 'URL' },
  token: { type: 'string', description: 'The bearer token (RHEO_TOKEN)', valueHint: 'JWT' },
  tenant: { type: 'string', description: 'The tenant, where the server runs open (RHEO_TENANT)', valueHint: 'name' },
  profile: { type: 'string', description: 'A saved server, for what is not given (RHEO_PROFILE)', valueHint: 'name' },
  json,
} as const

/** All flags and arguments of a command. */
export const argsOf = ({ args, isOffline }: { readonly args: ArgsDef; readonly isOffline?: boolean }): ArgsDef =>
  isOffline ? { ...args, json } : { ...args, ...connectionArgs }

/** What is taken in front of a command that is still to come. */
export const leadingArgs: ArgsDef = {
  ...connectionArgs,
  help: { type: 'boolean', description: 'What there is' },
  version: { type: 'boolean', description: 'Which version this is' },
}

export const streamArg = { type: 'positional', description: 'Name of the stream' } as const
export const groupArg = { type: 'positional', description: 'Name of the consumer group' } as const

export const partitionsArg = {
  type: 'string',
  description: 'Partitions, such as 0,2 (default: all)',
  valueHint: 'list',
} as const

export const pageArgs = {
  limit: { type: 'string', description: 'How many at most, 1 to 1000', valueHint: 'n' },
  after: { type: 'string', description: 'Where the page before ended', valueHint: 'cursor' },
} as const

export const yesArg = { type: 'boolean', description: 'Do not ask' } as const

/** A whole number of a flag; undefined when it is not given. What range it may have is the server's to say. */
export function integer(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value)) throw new UsageError(`${flag} must be a whole number`)
  return value
}

/** Numbers separated by commas. */
export function integers(flag: string, text: string | undefined): number[] | undefined {
  return text?.split(',').map((one) => integer(flag, one)!)
}

/** A JSON object of a flag. */
export function jsonObject(flag: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${flag} must be a JSON object, such as '{"a":1}'`)
  }
  return value as JsonObject
}

/** A number for all partitions, or a JSON object of them by partition. */
export function sequences(flag: string, text: string | undefined): number | Record<number, number> | undefined {
  if (text === undefined) return undefined
  if (text.trim().startsWith('{')) return jsonObject(flag, text) as unknown as Record<number, number>
  return integer(flag, text)
}

/** The value of a text that is JSON, else undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What is left of options when those that were not given are taken out. */
export function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
