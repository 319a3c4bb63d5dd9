import { limits } from '../core/limits.ts'
import { emptyReasons } from '../core/partition/commands.ts'
import { backoff } from '../http/contract/group.ts'
import { fromValibot } from './from-valibot.ts'
import { answer, described, listOf, orNull, ref, type Schema, say } from './schema.ts'
import {
  anObject,
  byPartition,
  cause,
  count,
  flag,
  name,
  partition,
  sequence,
  state,
  text,
  time,
  token,
} from './values.ts'

const frontier = say(sequence, 'Every sequence up to here is settled.')
const highWatermark = say(sequence, 'The last sequence of the partition; 0 when it is empty.')
const lag = say(count, 'The high watermark less the frontier.')

/** How far a group has come in a partition. */
const lagMembers = { frontier, highWatermark, lag }

const eventMembers = {
  id: say(
    { type: 'string', maxLength: limits.idLength },
    'Chosen by its producer, or generated; unique within the partition.',
  ),
  stream: say(name, 'The stream it belongs to.'),
  partition: say(partition, 'The partition it lies in.'),
  sequence: say({ ...sequence, minimum: 1 }, 'Its position there, from 1 and without gaps.'),
  timestamp: say(time, 'When it happened, as its producer says; otherwise when it was appended.'),
  type: say(orNull(text), 'What kind of event it is.'),
  key: say(orNull(text), 'Events with the same key lie in one partition.'),
  payload: say(anObject, 'What happened: any object.'),
  metadata: say(anObject, 'What is known about it, such as `correlation_id`.'),
}

const groupMembers = {
  name: say(name, 'Its name.'),
  stream: say(name, 'The stream it reads.'),
  createdAt: say(time, 'When it was created.'),
  maxAttempts: say(count, 'Leases that may end badly before a delivery becomes a dead letter.'),
  leaseMs: say(count, 'How long a lease lasts unless a fetch asks otherwise.'),
  start: say(byPartition(sequence), 'The last skipped sequence of each partition.'),
  maxInFlight: say(orNull(count), 'The most leases at a time in each partition; null for no bound.'),
  backoff: say(
    orNull(
      answer({
        baseMs: say({ type: 'integer', minimum: 1 }, 'The first delay.'),
        factor: say({ type: 'number', minimum: 1 }, 'By how much each next one is longer.'),
        maxMs: say({ type: 'integer', minimum: 1 }, 'The longest.'),
      }),
    ),
    'How long a nack without a delay of its own puts off; null for not at all.',
  ),
  paused: say(flag, 'Whether fetches are answered with nothing.'),
}

const deliveryMembers = {
  partition: say(partition, 'Where the event lies.'),
  sequence: say({ ...sequence, minimum: 1 }, 'Its position there.'),
  eventId: say(text, 'Its id.'),
  attempt: say({ type: 'integer', minimum: 1 }, 'Which lease of this delivery it is, from 1.'),
  consumerId: say(orNull(text), 'Who leased it, if it said so.'),
}

const leaseTimes = {
  leasedAt: say(time, 'When it was leased.'),
  expiresAt: say(time, 'When the lease ends by itself.'),
}

export const reason = say(
  { type: 'string', enum: emptyReasons },
  'Why there are no leases; only there when there are none.',
)

/** An entry of `results`: what became of one lease or claim. */
const failedResult = {
  ok: say({ const: false }, 'Nothing was changed.'),
  code: say(
    { type: 'string', enum: ['stale_lease', 'receipt_mismatch', 'backend_unavailable', 'overloaded', 'ambiguous'] },
    'Why not.',
  ),
}
const settled = {
  ok: say({ const: true }, 'It is settled.'),
  state: say(state, 'What became of the delivery.'),
  dueAt: say(time, 'When it is available again, if it is `delayed`.'),
}
const leaseId = say(token, 'The lease, as it was sent.')
const receipt = say(token, 'The claim, as it was sent.')

/** What many calls answer with, each under its name. */
export const components = (): Record<string, Schema> => ({
  Event: { ...answer(eventMembers), description: 'An immutable record at a position of a partition.' },
  AppendedEvent: {
    ...answer({ ...eventMembers, duplicate: say({ const: true }, 'It was in before; nothing was written.') }, [
      'duplicate',
    ]),
    description: 'An event of a batch that is in.',
  },
  Stream: {
    ...answer({
      name: say(name, 'Its name.'),
      partitionCount: say({ ...partition, minimum: 1, maximum: limits.partitions }, 'How many partitions; for ever.'),
      createdAt: say(time, 'When it was created.'),
    }),
    description: 'A named, partitioned log.',
  },
  Group: { ...answer(groupMembers), description: 'Independent progress over a stream.' },
  GroupInfo: {
    ...answer({
      ...groupMembers,
      lag: say(
        answer({
          partitions: say(byPartition(ref('PartitionLag')), 'By partition.'),
          lag: say(count, 'The sum over the partitions.'),
        }),
        'How far it is behind.',
      ),
      inFlight: say(count, 'Leased deliveries.'),
      delayed: say(count, 'Deliveries that wait for their time.'),
      available: say(count, 'Deliveries that are open again.'),
      deadLetters: say(count, 'Dead letters.'),
      oldestUnsettled: say(
        orNull(
          answer({
            partition: say(partition, 'Where it lies.'),
            sequence: say({ ...sequence, minimum: 1 }, 'Its position there.'),
            eventId: say(text, 'Its id.'),
            timestamp: say(time, 'Its timestamp.'),
            ageMs: say(count, 'How old that is.'),
            state: say(state, 'The state of its delivery.'),
          }),
        ),
        'The unsettled event with the lowest timestamp; null when all is settled.',
      ),
    }),
    description: 'A group and how it is doing, over all partitions.',
  },
  Backoff: {
    ...described(fromValibot(backoff), {
      baseMs: 'The first delay.',
      factor: 'By how much each next one is longer.',
      maxMs: 'The longest.',
    }),
    description: 'The delay after attempt n is `min(maxMs, baseMs * factor^(n-1))`.',
  },
  PartitionLag: { ...answer(lagMembers), description: 'How far a group is in one partition, read in one moment.' },
  Reopened: {
    ...answer({ reopened: say(count, 'Deliveries that are open again.'), ...lagMembers }),
    description: 'What a replay did in one partition.',
  },
  Redriven: {
    ...answer({ redriven: say(count, 'Dead letters that are open again.'), ...lagMembers }),
    description: 'What a redrive did in one partition.',
  },
  Holes: {
    ...answer({
      frontier,
      highWatermark,
      blockedBy: say(
        orNull(
          answer({
            sequence: say({ ...sequence, minimum: 1 }, 'The first sequence that is not settled.'),
            eventId: say(text, 'The id of its event.'),
            state: say(state, 'The state of its delivery.'),
            attempt: say(count, 'How often it was leased.'),
            consumerId: say(orNull(text), 'Who holds it, or held it last.'),
            expiresAt: say(orNull(time), 'When its lease ends.'),
            dueAt: say(orNull(time), 'When its delay ends.'),
            reason: say(orNull(text), 'What its last nack said.'),
          }),
        ),
        'What holds the frontier back; null when nothing does.',
      ),
      holes: say(
        listOf(
          answer({
            first: say({ ...sequence, minimum: 1 }, 'Its first sequence.'),
            last: say({ ...sequence, minimum: 1 }, 'Its last sequence.'),
            state: say(state, 'The state of all of it.'),
            attempt: say(count, 'The attempt of all of it.'),
          }),
        ),
        `What is not settled, as ranges; at most ${limits.holeRanges}.`,
      ),
      more: say(flag, 'Whether there are others.'),
    }),
    description: 'What is open between frontier and high watermark in one partition.',
  },
  Lease: {
    ...answer({
      leaseId: say(token, 'Settles the delivery. Opaque.'),
      receipt: say(token, 'Names the claim: all that this fetch took from the partition. Opaque.'),
      stream: say(name, 'The stream.'),
      group: say(name, 'The group.'),
      ...deliveryMembers,
      ...leaseTimes,
      event: say(ref('Event'), 'The event to work on.'),
    }),
    description: 'The right to settle one delivery, until it expires.',
  },
  ListedLease: {
    ...answer({ ...deliveryMembers, ...leaseTimes }),
    description: 'Who holds what until when. It settles nothing.',
  },
  DeadLetter: {
    ...answer({
      ...deliveryMembers,
      reason: say(orNull(text), 'What its consumer said.'),
      cause: say(cause, 'What made it a dead letter.'),
      deadLetteredAt: say(time, 'When it became one.'),
      event: say(ref('Event'), 'The event.'),
    }),
    description: 'A delivery that was given up.',
  },
  Delivery: {
    ...answer(
      {
        group: say(name, 'The group.'),
        state: say(state, 'What became of the event there.'),
        attempt: say(count, 'How often it was leased.'),
        consumerId: say(text, 'Who holds it, or held it last.'),
        expiresAt: say(time, 'When its lease ends.'),
        dueAt: say(time, 'When its delay ends.'),
        reason: say(text, 'What its last nack or reject said.'),
        cause: say(cause, 'What made it a dead letter.'),
      },
      ['consumerId', 'expiresAt', 'dueAt', 'reason', 'cause'],
    ),
    description: 'What became of an event in one group.',
  },
  Settled: { ...answer(settled, ['dueAt']), description: 'A lease that is settled.' },
  Renewed: {
    ...answer({ ok: settled.ok, expiresAt: leaseTimes.expiresAt }),
    description: 'A lease that lasts longer.',
  },
  LeaseResult: {
    oneOf: [answer({ leaseId, ...settled }, ['dueAt']), answer({ leaseId, ...failedResult })],
    description: 'What became of one lease of many.',
  },
  RenewResult: {
    oneOf: [answer({ leaseId, ok: settled.ok, expiresAt: leaseTimes.expiresAt }), answer({ leaseId, ...failedResult })],
    description: 'What became of one renewal of many.',
  },
  ClaimResult: {
    oneOf: [
      answer({
        receipt,
        ok: settled.ok,
        count: say(count, 'Deliveries that were settled.'),
        lost: say(count, 'Deliveries of the claim that were not held any more.'),
      }),
      answer({ receipt, ...failedResult }),
    ],
    description: 'What became of one claim.',
  },
})
