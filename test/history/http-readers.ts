import type { Random } from '../crash/random.ts'
import type { Letter, Position } from './history.ts'
import { newAsked, type Shared, seenEvent, send, type WireEvent } from './http-clients.ts'

/** Looks at where groups stand and at the log. */
export async function look(shared: Shared, random: Random, groups: readonly string[]): Promise<void> {
  const { history, partitionCount, stream } = shared
  while (!shared.isOver()) {
    const group = groups[random.integer(0, groups.length - 1)]!
    const partition = random.integer(0, partitionCount - 1)
    history.positions.push(...(await readHoles(shared, group)))
    const asked = newAsked(history)
    const path = `/streams/${stream}/events?partition=${partition}&limit=1000`
    const answer = await send<{ events: WireEvent[]; highWatermark: number }>(shared, asked, path, null, [200], 'GET')
    if (answer === null) continue
    const { events, highWatermark } = answer.body
    const selects = highWatermark <= events.length ? () => true : null
    history.readings.push({ ...asked, partition, events: events.map(seenEvent), highWatermark, selects })
  }
}

/** The holes of a group in every partition; none when there is no answer. */
export async function readHoles(shared: Shared, group: string): Promise<Position[]> {
  const asked = newAsked(shared.history)
  const path = `/streams/${shared.stream}/groups/${group}/holes`
  type Body = { partitions: Record<string, Pick<Position, 'frontier' | 'highWatermark' | 'holes'> & { more: boolean }> }
  const answer = await send<Body>(shared, asked, path, null, [200], 'GET')
  return Object.entries(answer?.body.partitions ?? {}).map(([partition, { frontier, highWatermark, holes, more }]) => ({
    ...{ ...asked, group, partition: Number(partition), frontier, highWatermark },
    lag: highWatermark - frontier,
    holes: more ? null : holes,
  }))
}

/** All dead letters of a group. */
export async function readLetters({ client, stream }: Shared, group: string): Promise<Letter[]> {
  const letters: Letter[] = []
  let after = ''
  do {
    const path = `/streams/${stream}/groups/${group}/dead-letters?limit=1000${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`
    type Body = { deadLetters: (Letter & { event: WireEvent })[]; nextCursor: string | null }
    const { deadLetters, nextCursor } = await client.expect<Body>(200, { method: 'GET', path })
    letters.push(
      ...deadLetters.map(({ partition, sequence, cause, attempt, event: { payload } }) => ({
        ...{ partition, sequence, cause, attempt, number: payload.number },
      })),
    )
    after = nextCursor ?? ''
  } while (after !== '')
  return letters
}
