import { groupPatch, newGroup } from '../../http/contract/group.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, NEXT_CURSOR, nothing, type Operations, paging, shown } from '../operation.ts'
import { answer, atMostOne, described, listOf, orNull, ref, say, type Words } from '../schema.ts'
import { cursor, name, sequences } from '../values.ts'

const options: Words = {
  maxAttempts: 'Leases that may end badly before a delivery becomes a dead letter.',
  leaseMs: 'How long a lease lasts unless a fetch asks otherwise.',
  maxInFlight: 'The most leases at a time in each partition; no bound unless given.',
  paused: 'Whether fetches are answered with nothing.',
}

/** Where a group begins: one of three ways to say it. */
export const startWords: Words = {
  start: 'At the first event, which is the default, or after the last.',
  startAfter: ['After a sequence: one for all partitions, or one for each, missing ones 0.', sequences],
  startAt: 'In each partition, at the first event whose timestamp is at or after this time.',
}
export const oneStart = atMostOne('start', 'startAfter', 'startAt')

const path = '/v1/streams/{stream}/groups'

export const groupOperations: Operations = {
  [`POST ${path}`]: {
    id: 'createGroup',
    tag: 'Groups',
    summary: 'Create a group',
    description:
      'In all partitions. Everything before its start counts as done, so its lag is right from the first moment. After `ambiguous` the group is not visible until it is everywhere, which the service finishes by itself; repeating the call does so at once.',
    body: json({
      ...described(fromValibot(newGroup), {
        name: ['What it is called.', name],
        ...options,
        backoff: ['How long a nack without a delay of its own puts off; not at all unless given.', ref('Backoff')],
        ...startWords,
      }),
      ...oneStart,
    }),
    answers: { 201: { description: 'The group.', content: json(ref('Group')) } },
    codes: ['stream_not_found', 'already_exists', 'invalid_name', 'invalid_start', 'invalid_partition'],
    examples: [
      {
        title: 'From the beginning, with backoff',
        status: 201,
        body: { name: 'billing', maxAttempts: 3, backoff: { baseMs: 1_000 } },
        answer: shown.group,
      },
      { title: 'Only what comes from now on', status: 201, body: { name: 'audit', start: 'latest' } },
    ],
    sdk: "await rheo.groups.create('orders', 'billing', { maxAttempts: 3, backoff: { baseMs: 1_000 } })",
  },
  [`GET ${path}`]: {
    id: 'listGroups',
    tag: 'Groups',
    summary: 'List groups',
    description: 'By name.',
    query: paging,
    answers: {
      200: {
        description: 'A page.',
        content: json(answer({ groups: say(listOf(ref('Group')), 'By name.'), nextCursor: say(cursor, NEXT_CURSOR) })),
      },
    },
    codes: ['stream_not_found', 'cursor_not_found'],
    examples: [{ title: 'All', status: 200, answer: { groups: [shown.group], nextCursor: null } }],
    sdk: "const { groups } = await rheo.groups.list('orders')",
  },
  [`GET ${path}/{group}`]: {
    id: 'getGroup',
    tag: 'Groups',
    summary: 'Show a group',
    description: 'Its options, and how it is doing over all partitions.',
    answers: { 200: { description: 'The group and its figures.', content: json(ref('GroupInfo')) } },
    codes: ['stream_not_found', 'group_not_found'],
    examples: [
      {
        title: 'Show',
        status: 200,
        answer: {
          ...shown.group,
          lag: { partitions: { '0': shown.lag, '1': { frontier: 0, highWatermark: 0, lag: 0 } }, lag: 4 },
          inFlight: 1,
          delayed: 0,
          available: 0,
          deadLetters: 0,
          oldestUnsettled: {
            partition: 0,
            sequence: 1,
            eventId: 'payment-1',
            timestamp: shown.now,
            ageMs: 1_250,
            state: 'leased',
          },
        },
      },
    ],
    sdk: "const { lag, oldestUnsettled } = await rheo.groups.get('orders', 'billing')",
  },
  [`PATCH ${path}/{group}`]: {
    id: 'updateGroup',
    tag: 'Groups',
    summary: 'Change a group',
    description: 'Replaces the options that are given; null restores a default.',
    body: json(
      described(fromValibot(groupPatch), {
        ...options,
        backoff: ['How long a nack without a delay of its own puts off.', orNull(ref('Backoff'))],
      }),
    ),
    answers: { 200: { description: 'The group.', content: json(ref('Group')) } },
    codes: ['stream_not_found', 'group_not_found'],
    examples: [
      {
        title: 'More attempts',
        status: 200,
        body: { maxAttempts: 4, maxInFlight: null },
        answer: { ...shown.group, maxAttempts: 4 },
      },
    ],
    sdk: "await rheo.groups.update('orders', 'billing', { maxAttempts: 4, maxInFlight: null })",
  },
  [`DELETE ${path}/{group}`]: {
    id: 'deleteGroup',
    tag: 'Groups',
    summary: 'Delete a group',
    description: 'Its progress and its dead letters; the events stay.',
    query: { confirm: 'Has to be `true`: it cannot be undone.' },
    answers: { 204: nothing('It is gone.') },
    codes: ['confirm_required', 'stream_not_found', 'group_not_found'],
    examples: [{ title: 'Delete', status: 204, query: { confirm: 'true' } }],
    sdk: "await rheo.groups.delete('orders', 'billing', { confirm: true })",
  },
}
