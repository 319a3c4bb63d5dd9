import { beforeEach, describe, expect, it } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { sendTo } from './send.ts'

let backend: FakeBackend
beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 2)
  backend.addGroup('orders', 'billing')
  backend.answer = () => done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'caught_up' })
})

const open = { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' }

/** A fetch in which everything is wrong at once; each case mends what the one before it was told. */
const steps: [
  code: string,
  field: string | null,
  vars: EdgeVars,
  headers: Record<string, string>,
  path: string,
  body: object,
][] = [
  ['unauthenticated', null, { RHEO_AUTH: 'token' }, { 'Rheo-Tenant': '-' }, '-/groups/-', { limit: 0 }],
  ['invalid_name', 'Rheo-Tenant', open, { 'Rheo-Tenant': '-' }, '-/groups/-', { limit: 0 }],
  ['invalid_name', 'stream', open, { 'Rheo-Now': 'x' }, '-/groups/-', { limit: 0 }],
  ['invalid_name', 'group', open, { 'Rheo-Now': 'x' }, 'none/groups/-', { limit: 0 }],
  ['invalid_request', 'Rheo-Now', open, { 'Rheo-Now': 'x' }, 'none/groups/none', { limit: 0 }],
  ['invalid_request', 'limit', open, {}, 'none/groups/none', { limit: 0, partition: 9 }],
  ['invalid_partition', null, open, {}, 'none/groups/none', { partitions: [] }],
  ['stream_not_found', null, open, {}, 'none/groups/none', { partition: 9 }],
  ['group_not_found', null, open, {}, 'orders/groups/none', { partition: 9 }],
  ['invalid_partition', null, open, {}, 'orders/groups/billing', { partition: 9 }],
]

describe('S7 the order of checks: authentication, tenant, names, shape, stream, group, then the rest', () => {
  it.each(steps)('%s %s', async (code, field, vars, headers, path, body) => {
    const answer = await sendTo(backend, vars)('POST', `/v1/streams/${path}/fetch`, { body, headers })
    expect(answer.body.code).toBe(code)
    if (field !== null) expect(answer.body.field).toBe(field)
    expect(backend.received).toHaveLength(0)
  })
})

describe('Rheo-Now', () => {
  const now = '2026-01-02T03:04:05.678Z'
  const append = async (vars: EdgeVars): Promise<number> => {
    backend.answer = () => done({ first: 1, duplicates: [] })
    await sendTo(backend, vars)('POST', '/v1/streams/orders/events', { body: {}, headers: { 'Rheo-Now': now } })
    return backend.commands('append').at(-1)!.command.append.atMs
  }

  it('is the call`s now with RHEO_TEST_CLOCK=1, here and in the objects', async () => {
    const clocks: (number | null)[] = []
    const reply = backend.partition.bind(backend)
    backend.partition = (address, command, ...rest: unknown[]) => {
      clocks.push(rest[0] as number | null)
      return reply(address, command)
    }
    expect(await append(open)).toBe(Date.parse(now))
    await append({ RHEO_AUTH: 'open' })
    expect(clocks).toEqual([Date.parse(now), null])
  })

  it('is ignored without, whatever it says', async () => {
    const before = Date.now()
    expect(await append({ RHEO_AUTH: 'open', RHEO_TEST_CLOCK: 'true' })).toBeGreaterThanOrEqual(before)
  })
})
