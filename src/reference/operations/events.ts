import { limits } from '../../core/limits.ts'
import { json, type Operations, shown } from '../operation.ts'
import type { Schema } from '../schema.ts'
import { answer, listOf, ref, say } from '../schema.ts'
import { anObject, partition, sequence, text, time } from '../values.ts'

/** What a producer may say. Core checks it by hand (src/core/event.ts). */
const members: Readonly<Record<string, Schema>> = {
  type: say({ type: ['string', 'null'], default: null }, 'What kind of event it is.'),
  key: say(
    {
      type: ['string', 'integer', 'null'],
      maxLength: limits.keyBytes,
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      default: null,
    },
    `Events with the same key lie in one partition. Up to ${limits.keyBytes} bytes; an integer is taken as its decimal text.`,
  ),
  payload: say({ ...anObject, default: {} }, `What happened: any object. Nests up to ${limits.nesting} levels.`),
  metadata: say({ ...anObject, default: {} }, `What is known about it. Up to ${limits.metadataBytes} bytes.`),
  id: say(
    { type: 'string', minLength: 1, maxLength: limits.idLength },
    'Chosen by you, unique within the partition: the same again is answered with the original. Generated otherwise.',
  ),
  timestamp: say(time, 'When it happened; now unless given.'),
  partition: say(partition, 'Wins over the key.'),
}
/** An event as a producer sends it. */
export const newEvent: Schema = {
  type: 'object',
  description: 'An event as its producer sends it.',
  properties: members,
  additionalProperties: false,
}
const expectedSequence = say(sequence, 'Append only if this is the partition’s high watermark.')

const many: Schema = {
  type: 'object',
  properties: {
    events: say({ type: 'array', items: ref('NewEvent'), maxItems: limits.batchEvents }, 'The events, in order.'),
    expectedSequence,
  },
  required: ['events'],
  additionalProperties: false,
}
const one: Schema = { type: 'object', properties: { ...members, expectedSequence }, additionalProperties: false }

/** A pattern cannot say that case does not count. */
const anyCase = (text: string): string => [...text].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')

const attribute: Schema = { type: 'string', minLength: 1 }
const extension: Schema = { type: ['string', 'number', 'boolean', 'null'] }

/** A CloudEvent 1.0 (src/http/contract/cloudevent.ts). An attribute that is null counts as absent. */
export const cloudEvent: Schema = {
  type: 'object',
  description: 'A CloudEvent 1.0 in its JSON form.',
  properties: {
    specversion: say({ const: '1.0' }, 'The version of CloudEvents.'),
    id: say({ ...attribute, maxLength: limits.idLength }, 'The id of the event.'),
    source: say(attribute, 'Who produced it; also the `producer` in the metadata.'),
    type: say(attribute, 'The type of the event.'),
    subject: say({ type: ['string', 'null'], maxLength: limits.keyBytes }, 'The key of the event.'),
    time: say({ type: ['string', 'null'], format: 'date-time' }, 'The timestamp of the event.'),
    data: say({ type: ['object', 'null'] }, 'The payload of the event.'),
    datacontenttype: say(
      { type: ['string', 'null'], pattern: `^${anyCase('application')}/([^;\\s]+\\+)?${anyCase('json')}\\s*(;|$)` },
      'A JSON type.',
    ),
    data_base64: { not: {}, description: 'Binary data cannot be taken.' },
  },
  required: ['specversion', 'id', 'source', 'type'],
  propertyNames: { pattern: '^[a-z0-9]+$' },
  additionalProperties: { ...extension, description: 'Any other attribute becomes metadata.' },
}

const appended: Schema = {
  oneOf: [
    answer({ event: say(ref('Event'), 'The event.'), duplicate: say({ const: true }, 'It was in before.') }, [
      'duplicate',
    ]),
    answer({ events: say(listOf(ref('AppendedEvent')), 'The events, in the order of the request.') }),
  ],
}

const shipped = {
  specversion: '1.0',
  id: 'shipment-1',
  source: '/shop',
  type: 'shipped',
  subject: 'customer-7',
  data: { order: 'A-1' },
}
const unsent = { ...shown.event, id: 'evt_u10000000000000_0_2', sequence: 2, type: 'placed', metadata: {} }

export const eventOperations: Operations = {
  'POST /v1/streams/{stream}/events': {
    id: 'appendEvents',
    tag: 'Events',
    summary: 'Append events',
    description: `One event, or up to ${limits.batchEvents} at once, as JSON, as lines, or as CloudEvents. A batch is whole or not at all in each partition, in its order. Where not everything is in, the problem says in \`results\` what became of each event; without \`results\` nothing is in.

A repeat with the same \`id\`, or with the same \`Idempotency-Key\` within ten minutes, is answered with the originals and \`duplicate: true\`.

Of CloudEvents, \`subject\` is the key, \`data\` the payload, \`time\` the timestamp; \`correlationid\`, \`causationid\`, \`schemaversion\` and \`dataschema\` become \`correlation_id\`, \`causation_id\`, \`schema_version\` and \`schema\` in the metadata, and every other attribute goes there under its own name.`,
    headers: ['Idempotency-Key'],
    body: {
      'application/json': { oneOf: [one, many] },
      'application/x-ndjson': { ...text, description: 'An event a line, as in `events`.' },
      'application/cloudevents+json': ref('CloudEvent'),
      'application/cloudevents-batch+json': { type: 'array', items: ref('CloudEvent'), maxItems: limits.batchEvents },
    },
    answers: {
      201: { description: 'All are in, and at least one of them is new.', content: json(appended) },
      200: { description: 'All were in before, or there was none.', content: json(appended) },
    },
    codes: [
      'stream_not_found',
      'invalid_partition',
      'payload_too_large',
      'id_conflict',
      'sequence_conflict',
      'partition_full',
    ],
    examples: [
      {
        title: 'One event',
        status: 201,
        body: {
          id: 'payment-1',
          type: 'paid',
          key: 'customer-7',
          payload: { order: 'A-1', total: 12.5, currency: 'EUR' },
          metadata: { correlation_id: 'A-1', producer: 'payments' },
        },
        answer: { event: shown.event },
      },
      {
        title: 'Many, safe to repeat',
        status: 201,
        headers: { 'Idempotency-Key': 'import-1' },
        body: {
          events: [
            { type: 'placed', key: 'customer-7', payload: { order: 'A-2', total: 80 } },
            { type: 'placed', key: 'customer-8', payload: { order: 'A-3', total: 7 } },
          ],
        },
        answer: { events: [unsent, { ...unsent, id: 'evt_u10000000000000_0_3', sequence: 3 }] },
      },
      {
        title: 'Lines',
        status: 201,
        type: 'application/x-ndjson',
        text: '{"key": "customer-9", "payload": {"order": "A-4"}}\n{"key": "customer-9", "payload": {"order": "A-5"}}',
      },
      {
        title: 'A CloudEvent',
        status: 201,
        type: 'application/cloudevents+json',
        body: shipped,
      },
      {
        title: 'CloudEvents',
        status: 201,
        type: 'application/cloudevents-batch+json',
        body: [
          { ...shipped, id: 'shipment-2' },
          { ...shipped, id: 'shipment-3' },
        ],
      },
      {
        title: 'Only if nothing came in between',
        status: 409,
        body: { partition: 0, type: 'closed', expectedSequence: 1_000 },
        answer: {
          type: '/docs/errors#sequence_conflict',
          title: 'Sequence conflict',
          status: 409,
          code: 'sequence_conflict',
          detail: 'the partition ends at 4, not at 1000',
          expectedSequence: 1_000,
          highWatermark: 4,
        },
      },
    ],
    sdk: `const { id } = await rheo.append('orders', { type: 'placed', key: 'customer-7', payload: { order: 'A-6' } })
await rheo.appendMany('orders', [{ key: 'customer-8', payload: { order: 'A-7' } }, { key: 'customer-9' }])`,
  },
  'GET /v1/streams/{stream}/events': {
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read a partition',
    description:
      'The events of one partition in their order. An answer holds about 8 MiB at most, and always one event if there is one.',
    query: {
      partition: 'The partition to read.',
      after: 'The sequence after which to begin.',
      limit: 'How many at most.',
    },
    answers: {
      200: {
        description: 'A part of the log.',
        content: json(
          answer({
            events: say(listOf(ref('Event')), 'In order.'),
            nextAfter: say({ type: ['integer', 'null'], minimum: 0 }, 'Where to go on; null at the end.'),
            highWatermark: say(sequence, 'The last sequence of the partition.'),
          }),
        ),
      },
    },
    codes: ['stream_not_found', 'invalid_partition'],
    examples: [
      {
        title: 'From the beginning',
        status: 200,
        query: { partition: 0, after: 0, limit: 10 },
        answer: { events: [shown.event], nextAfter: null, highWatermark: 1 },
      },
    ],
    sdk: "const { events, nextAfter } = await rheo.read('orders', { partition: 0, after: 0, limit: 10 })",
  },
  'GET /v1/streams/{stream}/events/{event}': {
    id: 'getEvent',
    tag: 'Events',
    summary: 'Show an event',
    description:
      'The event with this id and, if asked, what became of it in each group. A chosen id is looked for in all partitions unless one is named.',
    query: {
      partition: 'The partition to look in.',
      groups: 'Whether to tell what became of it in each group.',
    },
    answers: {
      200: {
        description: 'The event.',
        content: json(
          answer(
            {
              event: say(ref('Event'), 'The event.'),
              groups: say(listOf(ref('Delivery')), 'What became of it in each group.'),
            },
            ['groups'],
          ),
        ),
      },
    },
    codes: ['stream_not_found', 'event_not_found', 'invalid_partition'],
    examples: [
      {
        title: 'With its groups',
        status: 200,
        query: { groups: 'true' },
        answer: {
          event: shown.event,
          groups: [
            {
              group: 'billing',
              state: 'delayed',
              attempt: 1,
              consumerId: 'worker-1',
              dueAt: shown.now,
              reason: 'declined',
            },
          ],
        },
      },
    ],
    sdk: "const { event, groups } = await rheo.event('orders', 'payment-1', { groups: true })",
  },
}
