import type { Failure } from '../core/failure.ts'
import type { CommandHappening } from '../core/happening.ts'
import type { Address, Answer, Command, CommandOut, Outcome } from '../core/partition/commands.ts'
import type { Call } from './call.ts'

/** What is told of one outcome of a command. */
interface Told {
  readonly event: CommandHappening
  readonly code: Failure['code'] | null
  readonly count: number
  readonly [detail: string]: string | number | null
}

const eventOf: Readonly<Record<Outcome, CommandHappening>> = {
  ack: 'ack',
  nack: 'retry',
  reject: 'reject',
  renew: 'renew',
  release: 'release',
}

/** Publishes what a partition answered; commands that change nothing for anybody are not told of. */
export function publishAnswer(
  call: Call,
  { stream, partition }: Address,
  command: Command,
  answer: Answer<unknown>,
  durationMs: number,
): void {
  if (answer.status === 'moved') return
  const { tenant, group, requestId } = call
  for (const { event, code, ...rest } of toldOf(command, answer)) {
    const result = code === null ? 'ok' : 'failed'
    call.publish({ event, tenant, stream, group, partition, result, code, ...rest, durationMs, requestId })
  }
}

/** Publishes what the catalog did in partitions. */
export function publishEach(
  call: Call,
  stream: string,
  partitions: readonly number[],
  told: Pick<Told, 'event' | 'code'>,
): void {
  const { tenant, group, requestId } = call
  const result = told.code === null ? 'ok' : 'failed'
  for (const partition of partitions) call.publish({ ...told, tenant, stream, group, partition, result, requestId })
}

function toldOf(command: Command, answer: Exclude<Answer<unknown>, { status: 'moved' }>): Told[] {
  const code = answer.status === 'refused' ? answer.failure.code : null
  const value = answer.status === 'done' ? answer.value : null
  switch (command.type) {
    case 'append': {
      const duplicates = (value as CommandOut<'append'> | null)?.duplicates.length ?? 0
      return [{ event: 'append', code, count: command.append.count - duplicates, duplicates }]
    }
    case 'fetch': {
      const { count, reason } = (value as CommandOut<'fetch'> | null) ?? { count: 0, reason: null }
      return [{ event: 'fetch', code, count, reason }]
    }
    case 'settle': {
      const results = (value as CommandOut<'settle'> | null)?.results
      return summed(
        command.items.map(({ outcome }, index) => {
          const result = results?.[index]
          return { event: eventOf[outcome], code: result?.ok === false ? result.code : code, count: 1 }
        }),
      )
    }
    case 'settleClaims': {
      const { receipts, outcome } = command.claims
      const results = (value as CommandOut<'settleClaims'> | null)?.results
      return summed(
        receipts.map((_, index) => {
          const result = results?.[index]
          const count = result?.ok === true ? result.count : 1
          return { event: eventOf[outcome], code: result?.ok === false ? result.code : code, count }
        }),
      )
    }
    case 'releaseConsumer':
      return [{ event: 'release', code, count: (value as CommandOut<'releaseConsumer'> | null)?.released ?? 0 }]
    case 'replay': {
      if (command.replay.dryRun) return []
      return [{ event: 'replay', code, count: (value as CommandOut<'replay'> | null)?.reopened ?? 0 }]
    }
    case 'redrive':
      return [{ event: 'redrive', code, count: (value as CommandOut<'redrive'> | null)?.redriven ?? 0 }]
    default:
      return []
  }
}

/** One for each event and code, with the counts of all of its kind. */
function summed(all: readonly Told[]): Told[] {
  const sums = new Map<string, Told>()
  for (const told of all) {
    const kind = `${told.event} ${told.code}`
    sums.set(kind, { ...told, count: told.count + (sums.get(kind)?.count ?? 0) })
  }
  return [...sums.values()]
}
