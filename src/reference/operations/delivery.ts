import type { Outcome } from '../../core/partition/commands.ts'
import { fetchBody, unwaitingFetch } from '../../http/contract/fetch.ts'
import { item, settleForms } from '../../http/contract/settle.ts'
import { reason } from '../components.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, LATER, LEASE, type Operations, RECEIPT, shownLease } from '../operation.ts'
import { answer, atMostOne, described, listOf, ref, type Schema, say, type Words } from '../schema.ts'
import { count, partition, text } from '../values.ts'

/** Some partitions: one, several, or all when neither is given. */
export const scopeWords: Words = {
  partition: 'One partition; all unless given.',
  partitions: [
    'Some partitions; all unless given.',
    { type: 'array', items: partition, minItems: 1, maxItems: partition.maximum! + 1 },
  ],
}

const fetchWords: Words = {
  limit: 'How many at most, over all partitions together.',
  leaseMs: 'How long the leases last; the group’s length unless given.',
  consumerId: 'Who asks. Shown in leases, holes and dead letters.',
  ...scopeWords,
}
export const oneScope = atMostOne('partition', 'partitions')
const leases = say(listOf(ref('Lease')), 'The leases; ascending within a partition.')

const ignored = 'Ignored: a lease may be pasted as the fetch gave it.'
const leaseWords: Words = {
  leaseId: 'The lease. Any text that is no current lease is `stale_lease`.',
  receipt: 'The receipt beside it, which then has to be its own.',
  ...Object.fromEntries(
    [
      'stream',
      'group',
      'partition',
      'sequence',
      'eventId',
      'attempt',
      'consumerId',
      'leasedAt',
      'expiresAt',
      'event',
    ].map((name) => [name, ignored]),
  ),
}
const reasonWords = 'Why; kept with the delivery.'
const delayWords = 'How long to put it off; the group’s backoff unless given.'
const verbWords: Readonly<Record<Outcome, Words>> = {
  ack: {},
  nack: { reason: reasonWords, delayMs: delayWords },
  reject: { reason: reasonWords },
  renew: { leaseMs: 'How long from now; the length last granted unless given.' },
  release: {},
}

function bodyOf(verb: Outcome): Schema {
  const { one, many, claims } = settleForms(verb)
  const single = described(fromValibot(one), { ...leaseWords, ...verbWords[verb] })
  const listOfLeases = fromValibot(many).properties!.leases!
  const several = described(fromValibot(many), { leases: ['The leases.', { ...listOfLeases, items: single }] })
  const whole = described(fromValibot(claims), { receipts: 'Receipts of whole claims.', ...verbWords[verb] })
  return { oneOf: verb === 'renew' || verb === 'release' ? [single, several] : [single, several, whole] }
}

const counts = { settled: say(count, 'How many succeeded.'), failed: say(count, 'How many did not.') }
const resultsOf = (name: string): Schema =>
  answer({ results: say(listOf(ref(name)), 'What became of each, in order.'), ...counts })

function answerOf(verb: Outcome): Schema {
  if (verb === 'renew') return { oneOf: [ref('Renewed'), resultsOf('RenewResult')] }
  const forms = [ref('Settled'), resultsOf('LeaseResult')]
  return { anyOf: verb === 'release' ? forms : [...forms, resultsOf('ClaimResult')] }
}

const path = '/v1/streams/{stream}/groups/{group}'
const take = "const { leases: [lease] } = await rheo.fetch('orders', 'billing', { limit: 1 })"

const verb = (
  verb: Outcome,
  summary: string,
  description: string,
  more: Pick<Operations[string], 'examples' | 'sdk'>,
): Operations => ({
  [`POST ${path}/${verb}`]: {
    id: `${verb}Leases`,
    tag: 'Delivery',
    summary,
    description,
    body: json(bodyOf(verb)),
    answers: { 200: { description: 'What became of it, or of each.', content: json(answerOf(verb)) } },
    codes: ['stream_not_found', 'group_not_found', 'stale_lease', 'receipt_mismatch'],
    ...more,
  },
})

const forms =
  'One lease, up to 1000 leases, or whole claims by their receipts. Of many, each has its own result, and good ones stand whatever the others do; a malformed one refuses the whole call before anything is settled.'

const settleItem: Schema = {
  ...described(fromValibot(item), {
    ...leaseWords,
    outcome: 'What to do with it.',
    reason: `${reasonWords} With nack and reject.`,
    delayMs: `${delayWords} With nack.`,
  }),
  dependentSchemas: {
    reason: { properties: { outcome: { enum: ['nack', 'reject'] } } },
    delayMs: { properties: { outcome: { const: 'nack' } } },
  },
}

export const deliveryOperations: Operations = {
  [`POST ${path}/fetch`]: {
    id: 'fetchLeases',
    tag: 'Delivery',
    summary: 'Fetch leases',
    description:
      'Leases deliveries to one consumer: first what is open again, then new events. With `waitMs` it waits for work, and leases nothing meanwhile. Leases that were found are returned even if some partitions failed.',
    body: json({
      ...described(fromValibot(fetchBody), { ...fetchWords, waitMs: 'How long to wait for work.' }),
      ...oneScope,
    }),
    answers: {
      200: { description: 'The leases, or why there are none.', content: json(answer({ leases, reason }, ['reason'])) },
    },
    codes: ['stream_not_found', 'group_not_found', 'invalid_partition'],
    examples: [
      {
        title: 'One, or wait a little',
        status: 200,
        body: { limit: 1, consumerId: 'worker-1', waitMs: 100 },
        answer: { leases: [shownLease] },
      },
    ],
    sdk: "const { leases } = await rheo.fetch('orders', 'billing', { limit: 1, consumerId: 'worker-1', waitMs: 100 })",
  },
  ...verb('ack', 'Ack: done', `Settles as done, for good. ${forms}`, {
    examples: [
      { title: 'One lease', status: 200, body: { leaseId: LEASE }, answer: { ok: true, state: 'acked' } },
      {
        title: 'A whole claim',
        status: 200,
        body: { receipts: [RECEIPT] },
        answer: { results: [{ receipt: RECEIPT, ok: true, count: 1, lost: 0 }], settled: 1, failed: 0 },
      },
    ],
    sdk: `${take}\nawait rheo.ack(lease)`,
  }),
  ...verb(
    'nack',
    'Nack: try again',
    `Gives back for another try, at once or later; after the last attempt it becomes a dead letter, which \`state\` says. ${forms}`,
    {
      examples: [
        {
          title: 'Later',
          status: 200,
          body: { leaseId: LEASE, reason: 'declined', delayMs: 60_000 },
          answer: { ok: true, state: 'delayed', dueAt: '2026-03-15T12:01:00.000Z' },
        },
      ],
      sdk: `${take}\nconst { state, dueAt } = await rheo.nack(lease, { reason: 'declined', delayMs: 60_000 })`,
    },
  ),
  ...verb('reject', 'Reject: give up', `Makes a dead letter at once. ${forms}`, {
    examples: [
      {
        title: 'With a reason',
        status: 200,
        body: { leaseId: LEASE, reason: 'no such order' },
        answer: { ok: true, state: 'rejected' },
      },
    ],
    sdk: `${take}\nawait rheo.reject(lease, { reason: 'no such order' })`,
  }),
  ...verb('renew', 'Renew: take longer', 'Extends a lease, counted from now. One lease or many, no receipts.', {
    examples: [
      {
        title: 'A minute more',
        status: 200,
        body: { leaseId: LEASE, leaseMs: 60_000 },
        answer: { ok: true, expiresAt: LATER },
      },
    ],
    sdk: `${take}\nconst { expiresAt } = await rheo.renew(lease, { leaseMs: 60_000 })`,
  }),
  ...verb(
    'release',
    'Release: give back',
    'Gives back unworked: available at once, and the lease does not count as an attempt. One lease or many, no receipts.',
    {
      examples: [
        { title: 'One lease', status: 200, body: { leaseId: LEASE }, answer: { ok: true, state: 'available' } },
      ],
      sdk: `${take}\nawait rheo.release(lease)`,
    },
  ),
  [`POST ${path}/settle`]: {
    id: 'settleLeases',
    tag: 'Delivery',
    summary: 'Settle, and fetch the next',
    description:
      'Each lease with its own outcome and, in the same call, the next fetch: half the requests of a loop. What is malformed refuses the whole call before anything is settled.',
    body: json({
      type: 'object',
      properties: {
        items: { type: 'array', items: settleItem, minItems: 1, maxItems: 1_000, description: 'The leases.' },
        fetch: {
          ...described(fromValibot(unwaitingFetch), fetchWords),
          ...oneScope,
          description: 'A fetch to go with it, which does not wait.',
        },
      },
      required: ['items'],
      additionalProperties: false,
    }),
    answers: {
      200: {
        description: 'The results in order and, with `fetch`, the leases.',
        content: json(
          answer(
            {
              results: say(listOf(ref('LeaseResult')), 'What became of each, in order.'),
              ...counts,
              leases,
              reason,
              fetchError: say(
                {
                  type: 'object',
                  properties: { code: say(text, 'Its code.'), detail: say(text, 'The same for people.') },
                  required: ['code', 'detail'],
                  additionalProperties: true,
                },
                'Why the fetch failed, if only that part did; with the data of its code.',
              ),
            },
            ['leases', 'reason', 'fetchError'],
          ),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found', 'invalid_partition'],
    examples: [
      {
        title: 'Ack one, take one',
        status: 200,
        body: { items: [{ leaseId: LEASE, outcome: 'ack' }], fetch: { limit: 1, consumerId: 'worker-1' } },
        answer: {
          results: [{ leaseId: LEASE, ok: true, state: 'acked' }],
          settled: 1,
          failed: 0,
          leases: [shownLease],
        },
      },
    ],
    sdk: `${take}
const items = [{ leaseId: lease.leaseId, outcome: 'ack' }]
const { fetched } = await rheo.settle({ stream: 'orders', group: 'billing' }, items, { fetch: { limit: 1 } })`,
  },
}
