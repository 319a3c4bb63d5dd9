import { done, type Fetched } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import {
  ACKED,
  currentName,
  everyNth,
  groupsWith,
  type Mutant,
  noWrites,
  over,
  settled,
  timedWith,
  twisted,
} from './mutant.ts'

/** Machines that are wrong in one way each. */
export const mutants: readonly Mutant[] = [
  {
    name: 'settles without looking at the token',
    open: twisted((run, store) => (command, nowMs) => {
      if (command.type !== 'settle') return run(command, nowMs)
      const items = command.items.map((item) => currentName(store, command.group, item))
      return run({ ...command, items }, nowMs)
    }),
    caught: /was told ok (after attempt|for)|was refused|at one time|was acked by/,
  },
  {
    name: 'tells a late ack ok',
    open: twisted((run) => (command, nowMs) => {
      const answer = run(command, nowMs)
      if (command.type !== 'settle') return answer
      const results = settled(answer).map((one, index) =>
        !one.ok && command.items[index]!.outcome === 'ack' ? ACKED : one,
      )
      return answer.status === 'done' ? done({ results }) : answer
    }),
    caught: /was told ok/,
  },
  {
    name: 'says an ack is done and forgets it',
    open: twisted((run) => {
      const isForgotten = everyNth(10)
      return (command, nowMs) => {
        const isOne = command.type === 'settle' && command.items.length === 1 && command.items[0]!.outcome === 'ack'
        return isOne && isForgotten() ? done({ results: [ACKED] }) : run(command, nowMs)
      }
    }),
    caught: /was leased again .* after the ack|was told ok/,
  },
  {
    name: 'takes the highest ack for the frontier',
    open: over((store) =>
      groupsWith(store, { edges: (id) => ({ ...store.groups.edges(id), firstTimed: null, firstReady: null }) }),
    ),
    caught: /was passed by the frontier/,
  },
  {
    name: 'forgets that what is open again holds the frontier',
    open: over((store) => groupsWith(store, { edges: (id) => ({ ...store.groups.edges(id), firstReady: null }) })),
    caught: /was passed by the frontier/,
  },
  {
    name: 'moves the cursor one too far now and then',
    open: over((store) => {
      const isSkipped = everyNth(15)
      return groupsWith(store, {
        moveCursor: (id, cursor) => {
          const isRoom = cursor <= (store.log.head()?.last ?? 0)
          store.groups.moveCursor(id, isRoom && isSkipped() ? cursor + 1 : cursor)
        },
      })
    }),
    caught: /was passed by the frontier/,
  },
  {
    name: 'forgets an expiry',
    open: over((store) => {
      const isForgotten = everyNth(12)
      const forget = <V extends { value: { dueMs: number } }>(run: V): V =>
        isForgotten() ? { ...run, value: { ...run.value, dueMs: 8e15 } } : run
      return timedWith(store, {
        write: (group, { upserts, ...difference }) =>
          store.timed.write(group, { ...difference, upserts: upserts.map(forget) }),
      })
    }),
    caught: /has come to its end/,
  },
  {
    name: 'counts no expiry before the alarm',
    open: (store, address, settings) => {
      const machine = new PartitionMachine(store, address, settings)
      let alarmMs = 0
      return {
        run: (command, nowMs) => {
          if (command.type === 'expire') alarmMs = nowMs
          return machine.run(command, command.type === 'settle' ? alarmMs : nowMs)
        },
        append: (appends, nowMs, freeBytes) => machine.append(appends, alarmMs === 0 ? nowMs : alarmMs, freeBytes),
        hasWork: () => true,
        nextDueMs: () => machine.nextDueMs(),
      }
    },
    caught: /was told ok at .* after it had ended/,
  },
  {
    name: 'lets its clock go back',
    open: (store, address, settings) => {
      const machine = new PartitionMachine(store, address, settings)
      const earlier = <T>(work: () => T): T => {
        machine.changeClock()
        return work()
      }
      return {
        run: (command, nowMs) => earlier(() => machine.run(command, nowMs)),
        append: (appends, nowMs, freeBytes) => earlier(() => machine.append(appends, nowMs, freeBytes)),
        hasWork: (uid, nowMs) => earlier(() => machine.hasWork(uid, nowMs)),
        nextDueMs: () => machine.nextDueMs(),
      }
    },
    caught: /at one time/,
  },
  {
    name: 'gives the last claim once more when all is leased',
    open: twisted((run) => {
      const claims = new Map<string, Fetched>()
      return (command, nowMs) => {
        const answer = run(command, nowMs)
        if (command.type !== 'fetch' || answer.status !== 'done') return answer
        const fetched = answer.value as Fetched
        if (fetched.count > 0) claims.set(command.fetch.group, fetched)
        const again = claims.get(command.fetch.group)
        return fetched.reason === 'all_leased' && again !== undefined ? done(again) : answer
      }
    }),
    caught: /a lease id was given twice/,
  },
  {
    name: 'does not count attempts',
    open: over((store) => ({ tries: noWrites(store.tries) })),
    caught: /as one attempt/,
  },
  {
    name: 'buries one attempt early',
    open: over((store) =>
      groupsWith(store, {
        byUid: (uid) => {
          const group = store.groups.byUid(uid)
          const fewer = (options: NonNullable<typeof group>['options']) => ({
            ...options,
            maxAttempts: options.maxAttempts - 1,
          })
          return group === null ? null : { ...group, options: fewer(group.options) }
        },
      }),
    ),
    caught: /dead too early|without a reason/,
  },
  {
    name: 'never buries',
    open: over((store) =>
      groupsWith(store, {
        byUid: (uid) => {
          const group = store.groups.byUid(uid)
          return group === null ? null : { ...group, options: { ...group.options, maxAttempts: 1e9 } }
        },
      }),
    ),
    caught: /was nacked at attempt \d+ and is (available|delayed)|was leased as attempt/,
  },
  {
    name: 'acknowledges an append and loses it',
    open: twisted((run) => {
      const isLost = everyNth(20)
      return (command, nowMs) => {
        if (command.type !== 'append' || !isLost()) return run(command, nowMs)
        const last = (run({ type: 'status' }, nowMs) as { value: { highWatermark: number } }).value.highWatermark
        return done({ first: last + 1, duplicates: [] })
      }
    }),
    caught: /was acknowledged/,
  },
  {
    name: 'writes half a batch',
    open: twisted((run) => (command, nowMs) => {
      if (command.type !== 'append' || command.append.count < 4 || command.append.ids.length > 0)
        return run(command, nowMs)
      const lines = command.append.lines.split('\n').slice(1)
      return run({ type: 'append', append: { ...command.append, lines: lines.join('\n'), count: lines.length } }, nowMs)
    }),
    caught: /some events are there and others not|was acknowledged/,
  },
  {
    name: 'forgets idempotency keys',
    open: twisted(
      (run) => (command, nowMs) =>
        command.type === 'append'
          ? run({ type: 'append', append: { ...command.append, idempotency: null } }, nowMs)
          : run(command, nowMs),
    ),
    caught: /is there \d+ times/,
  },
  {
    name: 'forgets chosen ids',
    open: twisted(
      (run) => (command, nowMs) =>
        command.type === 'append' && command.append.idempotency === null
          ? run({ type: 'append', append: { ...command.append, ids: [] } }, nowMs)
          : run(command, nowMs),
    ),
    caught: /is there \d+ times/,
  },
  {
    name: 'answers lag with the high watermark of the last call',
    open: twisted((run) => {
      let before = 0
      return (command, nowMs) => {
        const answer = run(command, nowMs)
        if (command.type !== 'lag' || answer.status !== 'done') return answer
        const { frontier, highWatermark } = answer.value as { frontier: number; highWatermark: number }
        const old = Math.max(frontier, before)
        before = highWatermark
        return done({ frontier, highWatermark: old, lag: old - frontier })
      }
    }),
    caught: /are not of that time|went back|holds the frontier/,
  },
  {
    name: 'leaves leases alone in a replay',
    open: twisted((run, store) => (command, nowMs) => {
      if (command.type !== 'replay' || command.replay.selector.kind !== 'after') return run(command, nowMs)
      const group = store.groups.byUid(command.replay.group)
      const before = group === null ? [] : [...store.timed.from(group.id, command.replay.selector.sequence + 1)]
      const answer = run(command, nowMs)
      if (group === null || before.length === 0) return answer
      store.timed.write(group.id, { deletes: [], moves: [], upserts: before })
      return answer
    }),
    caught: /was told ok after it had been reopened|at one time|cannot be|has come to its end/,
  },
  {
    name: 'keeps the attempts of what it redrives',
    open: twisted((run, store) => (command, nowMs) => {
      if (command.type !== 'redrive') return run(command, nowMs)
      const group = store.groups.byUid(command.group)
      const before = group === null ? [] : [...store.tries.from(group.id, 1)]
      const answer = run(command, nowMs)
      if (group === null || before.length === 0) return answer
      const deletes = [...store.tries.from(group.id, 1)].map(({ last }) => last)
      store.tries.write(group.id, { deletes, moves: [], upserts: before })
      return answer
    }),
    caught: /was leased as attempt \d+ of at most/,
  },
  {
    name: 'loses the last match of a search page',
    open: twisted((run) => (command, nowMs) => {
      const answer = run(command, nowMs)
      if (command.type !== 'query' || answer.status !== 'done') return answer
      const page = answer.value as { matches: readonly unknown[]; next: unknown }
      return page.next === null ? answer : done({ ...page, matches: page.matches.slice(0, -1) })
    }),
    caught: /must show/,
  },
  {
    name: 'loses a dead letter when it is listed',
    open: twisted((run) => (command, nowMs) => {
      const answer = run(command, nowMs)
      if (command.type !== 'deadLetters' || answer.status !== 'done') return answer
      const { deadLetters } = answer.value as { deadLetters: readonly unknown[] }
      return done({ deadLetters: deadLetters.slice(1), more: false })
    }),
    caught: /was rejected and is no dead letter/,
  },
]
