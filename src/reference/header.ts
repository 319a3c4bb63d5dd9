import { limits } from '../core/limits.ts'
import { scopes } from '../http/principal.ts'
import { exampleNames } from './curl.ts'
import type { Header, Parameter } from './document.ts'
import { name, time } from './values.ts'

const nameIn = (path: string, description: string): Parameter => ({
  name: path,
  in: 'path',
  required: true,
  description,
  schema: path === 'event' ? { type: 'string', minLength: 1 } : name,
  example: exampleNames[path],
})

/** Parameters that many calls take. */
export const parameters: Readonly<Record<string, Parameter>> = {
  stream: nameIn('stream', 'The name of the stream.'),
  group: nameIn('group', 'The name of the group.'),
  event: nameIn('event', 'The id of the event.'),
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes a repeat within ${limits.idempotencyMs / 60_000} minutes answer the originals.`,
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength, pattern: '^[\\x20-\\x7e]+$' },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The position to go on from; goes before `after`.',
    schema: { type: 'string' },
  },
  'Rheo-Tenant': {
    name: 'Rheo-Tenant',
    in: 'header',
    description: 'The tenant, where the server is open; `default` unless given. A token names its tenant itself.',
    schema: name,
  },
  'Rheo-Now': {
    name: 'Rheo-Now',
    in: 'header',
    description: 'The time of the call, where the server has a test clock; ignored elsewhere.',
    schema: time,
  },
}

/** Headers of answers. */
export const headers: Readonly<Record<string, Header>> = {
  'Rheo-Request-Id': {
    description: 'Names the request in the logs.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'Rheo-Cost': {
    description: 'What the storage counted for this call, all objects together. Not with what is streamed.',
    schema: { type: 'string', pattern: '^rows-read=\\d+, rows-written=\\d+, objects=\\d+$' },
  },
  'Cache-Control': { description: 'Answers are not to be kept.', required: true, schema: { const: 'no-store' } },
  'X-Content-Type-Options': {
    description: 'An event may hold any text: no browser is to take an answer for a page or a script.',
    required: true,
    schema: { const: 'nosniff' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: { const: 'Bearer' } },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
}

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `A token names its tenant, its scopes (${scopes.map((scope) => `\`${scope}\``).join(', ')}; none implies another) and, if it is not good for all, its streams. Each operation names the scope that it needs. A server in open mode asks for none.`,
  },
}
