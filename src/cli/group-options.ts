import type { Backoff, GroupOptions, Start } from '../client/index.ts'
import { given, integer, integers, sequences } from './arguments.ts'
import type { Parsed } from './command.ts'
import { UsageError } from './usage-error.ts'

/** Flags for the options of a group that can be changed. */
export const optionArgs = {
  'max-attempts': { type: 'string', description: 'Leases before a dead letter, 1 to 1000 (5)', valueHint: 'n' },
  'lease-ms': { type: 'string', description: 'Length of a lease (30000)', valueHint: 'ms' },
  'max-in-flight': { type: 'string', description: 'Leases at once in each partition (no bound)', valueHint: 'n' },
  backoff: {
    type: 'string',
    description: 'Pauses of retries: base, factor, most (none)',
    valueHint: 'ms[,factor[,ms]]',
  },
  paused: { type: 'boolean', description: 'Give no leases', negativeDescription: 'Give leases again' },
} as const

/** Flags for where a group begins. */
export const startArgs = {
  start: {
    type: 'enum',
    description: 'Begin at the first event, or behind the last',
    options: ['earliest', 'latest'] as string[],
  },
  'start-after': {
    type: 'string',
    description: 'Begin behind a sequence, or {"partition":sequence}',
    valueHint: 'n|JSON',
  },
  'start-at': { type: 'string', description: 'Begin at the first event of this time or later', valueHint: 'time' },
} as const

/** The options that were given. With `takesDefault` the word default stands for what a group has without the option. */
export function optionsOf(
  args: Parsed<typeof optionArgs>,
  takesDefault: true,
): { [K in keyof GroupOptions]: GroupOptions[K] | null }
export function optionsOf(args: Parsed<typeof optionArgs>, takesDefault: false): GroupOptions
export function optionsOf(args: Parsed<typeof optionArgs>, takesDefault: boolean): object {
  const read = <T>(text: string | undefined, parse: (text: string) => T): T | null | undefined => {
    if (text === undefined) return undefined
    return takesDefault && text === 'default' ? null : parse(text)
  }
  const number = (flag: 'max-attempts' | 'lease-ms' | 'max-in-flight') =>
    read(args[flag], (text) => integer(`--${flag}`, text))
  return given({
    maxAttempts: number('max-attempts'),
    leaseMs: number('lease-ms'),
    maxInFlight: number('max-in-flight'),
    backoff: read(args.backoff, backoffOf),
    paused: args.paused,
  })
}

function backoffOf(text: string): Backoff {
  const [baseMs, factor, maxMs, ...more] = text.split(',')
  if (more.length > 0) throw new UsageError('--backoff takes at most three numbers: base, factor, most')
  const factorNumber = factor === undefined ? undefined : Number(factor)
  if (Number.isNaN(factorNumber)) throw new UsageError('--backoff: the factor must be a number')
  return given({
    baseMs: integer('--backoff', baseMs)!,
    factor: factorNumber,
    maxMs: integers('--backoff', maxMs)?.[0],
  }) as Backoff
}

export const startOf = (args: Parsed<typeof startArgs>): Start =>
  given({
    start: args.start as Start['start'],
    startAfter: sequences('--start-after', args['start-after']),
    startAt: args['start-at'],
  })
