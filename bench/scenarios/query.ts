import { type Measured, runLoad } from '../load.ts'
import { type Log, orderAt } from '../log.ts'
import type { Goal, Lane, Scenario } from '../scenario.ts'
import type { World } from '../world.ts'

const limit = 100

/** What is looked for in a log of so many events, and whether to page to the end. */
type Search = { name: string; what: string; where(count: number): object; toTheEnd: boolean; goals: Goal[] }

const large = 'large log'
const searches: Search[] = [
  {
    name: 'once',
    what: 'a value that one event has, all pages',
    where: (count) => ({ order: orderAt(Math.ceil(count * Math.random())) }),
    toTheEnd: true,
    goals: [{ lane: large, metric: 'p50Ms', atMost: 10 }],
  },
  {
    name: 'absent',
    what: 'a value that no event has, all pages',
    where: () => ({ order: `none ${Math.random()}` }),
    toTheEnd: true,
    goals: [],
  },
  {
    name: 'common',
    what: `a value that every other event has, the first page of ${limit}`,
    where: () => ({ tenor: '6M' }),
    toTheEnd: false,
    goals: [],
  },
  {
    name: 'never together',
    what: 'two values that every other event has and none has both, all pages',
    where: () => ({ tenor: '6M', side: 'ask' }),
    toTheEnd: true,
    goals: [{ lane: large, metric: 'pageMs', atMost: 25 }],
  },
]

export const queries: Scenario[] = searches.map((search) => ({
  name: `query ${search.name}`,
  what: search.what,
  goals: search.goals,
  lanes: async (world) => [
    queryLane(world, 'small log', await world.small(), search),
    queryLane(world, large, await world.large(), search),
  ],
}))

/** A step is a whole search; for rows it counts as one event. */
function queryLane(world: World, name: string, log: Log, { where, toTheEnd }: Search): Lane {
  const run = (seconds: number): Promise<Measured> =>
    runLoad(world.rheo, 1, seconds, async (call) => {
      const search = { where: where(log.count), limit }
      let cursor: string | undefined
      do {
        const body = cursor === undefined ? search : { ...search, cursor }
        const { text } = await call('POST', `${log.path}/query`, JSON.stringify(body))
        cursor = /"nextCursor":"([^"]+)"/.exec(text)?.[1]
      } while (toTheEnd && cursor !== undefined)
      return 1
    })
  return { name, isReference: false, connections: 1, run }
}
