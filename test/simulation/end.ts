import type { Command, CommandName, CommandOut } from '../../src/core/partition/commands.ts'
import type { End, Position } from '../history/history.ts'
import type { PartitionObject } from './partition-object.ts'
import { seenEvent } from './producer.ts'
import { toLetter } from './reader.ts'
import type { Group, World } from './world.ts'

const LIMIT = 100_000
const MAX_BYTES = 1_000_000_000

/** What is there in the end, asked with no fault on the way. */
export function readEnd(world: World): End {
  const log = world.partitions.map((partition) => {
    const { events } = ask(partition, { type: 'read', after: 0, limit: LIMIT, maxBytes: MAX_BYTES })
    return (JSON.parse(`[${events}]`) as Parameters<typeof seenEvent>[0][]).map(seenEvent)
  })
  const groups = world.groups.filter(({ isThere }) => isThere)
  return {
    log,
    groups: groups.map((group) => ({
      group: group.uid,
      positions: world.partitions.map((partition) => positionOf(world, partition, group)),
      letters: world.partitions.flatMap((partition) => {
        const command = { type: 'deadLetters', group: group.uid, after: 0, limit: LIMIT, maxBytes: MAX_BYTES } as const
        return ask(partition, command).deadLetters.map((letter) => toLetter(partition.address.partition, letter))
      }),
    })),
  }
}

function positionOf({ history }: World, partition: PartitionObject, { uid }: Group): Position {
  const { frontier, highWatermark, holes } = ask(partition, { type: 'holes', group: uid, maxRanges: LIMIT })
  const { lag } = ask(partition, { type: 'lag', group: uid })
  const asked = { sent: history.step(), answered: history.step() }
  return { ...asked, group: uid, partition: partition.address.partition, frontier, highWatermark, lag, holes }
}

function ask<N extends CommandName>(partition: PartitionObject, command: Command<N>): CommandOut<N> {
  const answer = partition.ask(command as Command)
  if (answer.status === 'done') return answer.value as CommandOut<N>
  throw new Error(`in the end ${command.type} answers ${JSON.stringify(answer)}`)
}
