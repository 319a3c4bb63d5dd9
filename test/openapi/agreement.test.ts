import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { operationsOf } from '../../src/reference/document.ts'
import { openapi } from '../../src/reference/openapi.ts'
import { Contract } from '../conformance/contract.ts'
import { LocalBackend } from '../http/local-backend.ts'
import { type Send, sendTo } from '../http/send.ts'
import { drawnFrom } from './arbitrary.ts'
import { bodyOf, hints } from './request.ts'

/*
 * What the document says of bodies, and what the server takes, are the same: for bodies that are right, and for bodies
 * that are wrong in one place.
 */

const numRuns = Number(process.env.RHEO_FUZZ_RUNS ?? 300)
const document = openapi()
const contract = new Contract(document)
const drawn = drawnFrom(document, hints)

/** Codes that say that a body is not what it should be, whatever is there. */
const ofShape = [
  'invalid_request',
  'invalid_name',
  'invalid_query',
  'invalid_replay',
  'invalid_partition_count',
  'confirm_required',
]
/** Beyond these, a schema may refuse a partition that no stream can have. */
const ofMore = [...ofShape, 'invalid_partition', 'payload_too_large']
/** Rules that no JSON Schema can tell. */
const untold =
  /nests deeper|beyond the range|larger than|longer than|lone surrogate|control character|characters|from 1 to 1000$|RFC 3339|goes deeper|more than one partition$/

let send: Send
beforeEach(async () => {
  send = sendTo(new LocalBackend())
})

async function prepare(): Promise<void> {
  const { status } = await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
  if (status !== 404) return
  await send('POST', '/v1/streams', { body: { name: 'orders', partitionCount: 3 } })
  await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
}

const bodies = operationsOf(document).flatMap(({ method, path, operation }) =>
  Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
    type === 'application/x-ndjson' ? [] : [{ method, path, type, schema, id: operation.operationId }],
  ),
)

describe('a body that the document', () => {
  it.each(bodies)('allows is taken, and one that it refuses is refused: $id as $type', async (body) => {
    const { method, path, type, schema } = body
    const target = path.replace('{stream}', 'orders').replace('{group}', 'billing')
    const counts = { allowed: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(bodyOf(drawn, type, schema), async (raw) => {
        await prepare()
        const isAllowed = contract.allows(method, path, type, JSON.parse(raw))
        const { status, body, text } = await send(method, target, { raw, headers: { 'Content-Type': type } })
        counts[isAllowed ? 'allowed' : 'refused'] += 1
        const where = `${raw.slice(0, 300)} -> ${status} ${text.slice(0, 300)}`
        if (!isAllowed) expect(ofMore, where).toContain(body?.code)
        else if (status >= 400 && ofShape.includes(body.code)) expect(body.detail, where).toMatch(untold)
      }),
      { numRuns },
    )
    expect(counts.allowed, 'allowed').toBeGreaterThan(numRuns / 20)
    expect(counts.refused, 'refused').toBeGreaterThan(numRuns / 20)
  })
})
