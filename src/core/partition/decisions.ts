import { type Answer, type Command, type CommandName, type CommandOut, done, refused } from './commands.ts'
import type { Context } from './context.ts'
import { event } from './event.ts'
import { fetch, reasonForNothing } from './fetch.ts'
import { installGroup, removeGroup, resolveStart } from './groups.ts'
import { deadLetters, groupInfo, holes, lag, leases } from './inspect.ts'
import { query } from './query.ts'
import { read, status } from './read.ts'
import { matching, redrive, replay } from './replay.ts'
import { releaseConsumer, settle, settleClaims } from './settle.ts'
import type { Group } from './store.ts'

/** Decides a command on the partition as a whole. */
export type Decide<N extends CommandName> = (context: Context, command: Command<N>) => Answer<CommandOut<N>>

/** A command on a group, and how its uid is found in it. */
export interface OfGroup<N extends CommandName> {
  readonly groupOf: (command: Command<N>) => string
  readonly decide: (context: Context, group: Group, command: Command<N>) => CommandOut<N>
}

const ofGroup = <N extends CommandName>(groupOf: OfGroup<N>['groupOf'], decide: OfGroup<N>['decide']): OfGroup<N> => ({
  groupOf,
  decide,
})

/** What decides each command, but for those that the machine answers from its memory. */
export const decisions: { [N in Exclude<CommandName, 'append' | 'metrics'>]: Decide<N> | OfGroup<N> } = {
  read: (context, command) => done(read(context, command)),
  query: (context, command) => done(query(context, command.query)),
  status: (context) => done(status(context)),
  resolveStart(context, { start }) {
    const resolved = resolveStart(context, start)
    return resolved.ok ? done({ start: resolved.value }) : refused(resolved.failure)
  },
  installGroup(context, { install }) {
    installGroup(context, install)
    return done({})
  },
  fetch: ofGroup(
    (command) => command.fetch.group,
    (context, group, command) => fetch(context, group, command.fetch),
  ),
  work: ofGroup(
    (command) => command.group,
    (context, group) => ({ reason: reasonForNothing(context, group) }),
  ),
  settle: ofGroup(
    (command) => command.group,
    (context, group, { items }) => ({ results: settle(context, group, items) }),
  ),
  settleClaims: ofGroup(
    (command) => command.claims.group,
    (context, group, { claims }) => ({ results: settleClaims(context, group, claims) }),
  ),
  lag: ofGroup((command) => command.group, lag),
  holes: ofGroup(
    (command) => command.group,
    (context, group, { maxRanges }) => holes(context, group, maxRanges),
  ),
  groupInfo: ofGroup((command) => command.group, groupInfo),
  leases: ofGroup((command) => command.group, leases),
  releaseConsumer: ofGroup(
    (command) => command.group,
    (context, group, { consumerId }) => ({ released: releaseConsumer(context, group, consumerId) }),
  ),
  deadLetters: ofGroup((command) => command.group, deadLetters),
  event: (context, command) => done(event(context, command)),
  replay: ofGroup(
    (command) => command.replay.group,
    (context, group, command) => replay(context, group, command.replay),
  ),
  matching: ofGroup(
    (command) => command.group,
    (context, group, { selection, limit }) => ({ sequences: matching(context, group, selection, limit) }),
  ),
  redrive: ofGroup((command) => command.group, redrive),
  removeGroup(context, { group }) {
    removeGroup(context, group)
    return done({})
  },
  // What is due has been applied before any command.
  expire: () => done({}),
}
