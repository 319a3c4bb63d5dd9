import type { Answer, Command } from '../src/core/partition/commands.ts'
import type { PartitionMachine } from '../src/core/partition/machine.ts'
import type { Room } from './room.ts'

/** A command as it waits for its turn. */
export interface Call {
  readonly command: Command
  readonly testNowMs: number | null
}

/** Splits calls into stretches that run together: neighbouring appends at one clock, everything else alone. */
export function neighbours(calls: readonly Call[]): Call[][] {
  const stretches: Call[][] = []
  for (const call of calls) {
    const stretch = stretches.at(-1)
    const joins =
      stretch !== undefined &&
      call.command.type === 'append' &&
      stretch[0]!.command.type === 'append' &&
      stretch[0]!.testNowMs === call.testNowMs
    if (joins) stretch.push(call)
    else stretches.push([call])
  }
  return stretches
}

/** How much text of events an answer carries. */
export function textLength(answer: Answer<unknown>): number {
  const value = answer.status === 'done' ? answer.value : null
  const { leases, events } = (value ?? {}) as { leases?: unknown; events?: unknown }
  return [leases, events].reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}

/** The answers of calls that run together. */
export function answer(
  machine: PartitionMachine,
  calls: readonly Call[],
  nowMs: number,
  room: Room,
): Answer<unknown>[] {
  const appends = calls.flatMap(({ command }) => (command.type === 'append' ? [command.append] : []))
  if (appends.length > 0) {
    const characters = appends.reduce((sum, { lines }) => sum + lines.length, 0)
    return machine.append(appends, nowMs, room.freeBytesFor(characters))
  }
  return calls.map(({ command }) =>
    command.type === 'metrics' ? machine.run(command, nowMs, room.freeBytes()) : machine.run(command, nowMs),
  )
}
