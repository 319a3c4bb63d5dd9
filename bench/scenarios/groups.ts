import type { World } from '../world.ts'

/** Groups to consume: `current` until it has nothing, then the next. */
export type Groups = {
  readonly current: string
  next(empty: string): Promise<void>
  /** Is told what was consumed, and gives it back. */
  took(count: number): number
  /** Makes ready, between rounds, what the next round will take. */
  prepare(): Promise<void>
}

/** Groups of the small log; between rounds all that were used begin again. Consuming deletes nothing. */
export async function freshGroups(world: World): Promise<Groups> {
  const log = await world.small()
  const used: string[] = []
  const ready: string[] = []
  let current = await log.group()
  let coming: Promise<void> | null = null
  const goOn = async () => {
    used.push(current)
    current = ready.pop() ?? (await log.group())
  }
  return {
    get current() {
      return current
    },
    async next(empty) {
      if (empty !== current) return
      coming ??= goOn().finally(() => {
        coming = null
      })
      await coming
    },
    took: (count) => count,
    async prepare() {
      ready.push(...used.splice(0), current)
      for (const group of ready) await world.call('POST', `${group}/reset`, JSON.stringify({ confirm: true }))
      current = ready.pop()!
    },
  }
}

/** The one group whose ledger is in fragments; the large log grows ahead of it. */
export async function fragmentedGroup(world: World): Promise<Groups> {
  const fragmented = await world.fragmented()
  const { log, group } = fragmented
  const ahead = world.sizes.large / 4
  let growing: Promise<void> | null = null
  const grow = async () => {
    await log.append(ahead)
    growing = null
  }
  return {
    current: group,
    async next() {
      growing ??= grow()
      await growing
    },
    took(count) {
      fragmented.taken += count
      return count
    },
    async prepare() {
      if (log.count - fragmented.taken < ahead) await grow()
    },
  }
}
