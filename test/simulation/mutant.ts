import type { Answer, Command, SettleItem, SettleResult } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import type { GroupStore, PartitionStore, RunTable, TimedTable } from '../../src/core/partition/store.ts'
import type { Machine, OpenMachine } from './partition-object.ts'

/** A machine with a bug put in on purpose, and what a check must say of it. */
export interface Mutant {
  readonly name: string
  readonly open: OpenMachine
  readonly caught: RegExp
}

export type Run = (command: Command, nowMs: number) => Answer<unknown>

/** A machine whose commands go through `twist`, which may ask the true machine. */
export const twisted =
  (twist: (run: Run, store: PartitionStore) => Run): OpenMachine =>
  (store, address, settings) => {
    const machine = new PartitionMachine(store, address, settings)
    const run = twist((command, nowMs) => machine.run(command, nowMs), store)
    return {
      run: run as Machine['run'],
      append: (appends, nowMs, freeBytes) => {
        const answers = appends.map((append) => ({ append, answer: run({ type: 'append', append }, nowMs) }))
        return freeBytes === 0
          ? machine.append(appends, nowMs, freeBytes)
          : answers.map(({ answer }) => answer as never)
      },
      hasWork: (uid, nowMs) => machine.hasWork(uid, nowMs),
      nextDueMs: () => machine.nextDueMs(),
    }
  }

/** A true machine over a store that does something wrong. */
export const over =
  (spoil: (store: PartitionStore) => Partial<PartitionStore>): OpenMachine =>
  (store, address, settings) =>
    new PartitionMachine({ ...store, ...spoil(store) }, address, settings)

export const groupsWith = (store: PartitionStore, change: Partial<GroupStore>) => ({
  groups: { ...store.groups, ...change },
})
export const timedWith = (store: PartitionStore, change: Partial<TimedTable>) => ({
  timed: { ...store.timed, ...change },
})

/** Every n-th call of one kind. */
export function everyNth(n: number): () => boolean {
  let calls = 0
  return () => {
    calls += 1
    return calls % n === 0
  }
}

export const settled = (answer: Answer<unknown>): readonly SettleResult[] =>
  answer.status === 'done' ? (answer.value as { results: readonly SettleResult[] }).results : []

export const ACKED = { ok: true, state: 'acked', dueAtMs: null } as const

/** The token of whoever holds a delivery now. */
export function currentName(store: PartitionStore, group: string, item: SettleItem): SettleItem {
  const [partition, sequence] = item.leaseId.split('.') as [string, string]
  const id = store.groups.byUid(group)?.id ?? -1
  const run = store.timed
    .around(id, [{ first: Number(sequence), last: Number(sequence) }])
    .find(({ first, last }) => first <= Number(sequence) && Number(sequence) <= last)
  const token = run?.value.token ?? null
  return token === null ? item : { ...item, receipt: null, leaseId: `${partition}.${sequence}.${token}` }
}

export const noWrites = <V>(table: RunTable<V>): Pick<RunTable<V>, 'write'> & RunTable<V> => ({
  ...table,
  write: () => {},
})
