import type { Api } from '../demo/api.ts'
import { fenceLateWorker, publish, readIndependently } from './groups.ts'
import { countPartitions, leaveHole, startWithPartitions } from './partitions.ts'
import { replayByQuery, replayEverything, replayInNewGroup, resetOnPurpose } from './replay.ts'
import { searchHistory, walkPages } from './search.ts'

/**
 * Plays the concepts on a stream of the given name, which is not there yet: independent groups, fencing, search,
 * pages, replay without copying, and partitions with the frontier. Each step takes up what the one before left behind.
 */
export async function play(api: Api, name: string): Promise<void> {
  const stream = `/v1/streams/${name}`
  await publish(api, stream, name)
  const held = await readIndependently(api, stream)
  await fenceLateWorker(api, stream, held)
  await searchHistory(api, stream)
  await walkPages(api, stream)
  await replayInNewGroup(api, stream)
  const replayed = await replayEverything(api, stream)
  await replayByQuery(api, stream, replayed)
  await resetOnPurpose(api, stream)
  await startWithPartitions(api, stream, name)
  await countPartitions(api, stream)
  await leaveHole(api, stream)
}
