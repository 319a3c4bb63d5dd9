import { describe, expect, it } from 'vitest'
import { CatalogMachine } from '../../src/core/catalog/machine.ts'
import type { Failure, Result } from '../../src/core/failure.ts'
import { defaultGroupOptions } from '../../src/core/group.ts'
import { limits } from '../../src/core/limits.ts'
import { openCatalogStore } from '../../src/storage/catalog.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

const machine = () => new CatalogMachine(openCatalogStore(openNodeSql(':memory:')))
const failureOf = (result: Result<unknown>): Failure | null => (result.ok ? null : result.failure)

const createStream = (catalog: CatalogMachine, name: string, maxStreams: number = limits.streamsPerTenant) =>
  catalog.createStream({ name, partitionCount: 1, maxStreams }, `uid-${name}`, 0)

/** Creates a group as the catalog's object does, its partition told at once. */
function createGroup(catalog: CatalogMachine, name: string, maxGroups: number = limits.groupsPerStream) {
  const command = { stream: 's', name, options: defaultGroupOptions, start: { kind: 'earliest' }, maxGroups } as const
  const plan = catalog.planGroup(command)
  const added = plan.ok ? catalog.addGroup(plan.value.stream, command, [0], `uid-${name}`, 0) : plan
  if (added.ok) catalog.markSynced(added.value)
  return plan
}

describe('API Limits: streams of a tenant', () => {
  it('are 10 000, and one more when one has gone', () => {
    const catalog = machine()
    for (let index = 0; index < limits.streamsPerTenant; index++) createStream(catalog, `s${index}`)
    expect(failureOf(createStream(catalog, 'more'))).toMatchObject({ code: 'invalid_request', field: 'name' })
    // A quota above the limit changes nothing.
    expect(failureOf(createStream(catalog, 'more', 20_000))).toMatchObject({ code: 'invalid_request' })
    expect(failureOf(createStream(catalog, 's0'))).toMatchObject({ code: 'already_exists' })
    catalog.deleteStream('s0')
    expect(createStream(catalog, 'more').ok).toBe(true)
    expect(failureOf(createStream(catalog, 's0'))).toMatchObject({ code: 'invalid_request' })
  })

  it('are fewer by a quota, which is rate_limited', () => {
    const catalog = machine()
    expect(createStream(catalog, 'a', 2).ok).toBe(true)
    expect(createStream(catalog, 'b', 2).ok).toBe(true)
    expect(failureOf(createStream(catalog, 'c', 2))).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 })
    expect(failureOf(createStream(catalog, 'a', 2))).toMatchObject({ code: 'already_exists' })
    expect(failureOf(catalog.stream('c'))).toMatchObject({ code: 'stream_not_found' })
    catalog.deleteStream('a')
    expect(createStream(catalog, 'c', 2).ok).toBe(true)
  })
})

describe('API Limits: groups of a stream', () => {
  it('are 1 000, of each stream for itself', () => {
    const catalog = machine()
    createStream(catalog, 's')
    for (let index = 0; index < limits.groupsPerStream; index++) createGroup(catalog, `g${index}`)
    expect(failureOf(createGroup(catalog, 'more'))).toMatchObject({ code: 'invalid_request', field: 'name' })
    catalog.deleteGroup('s', 'g0')
    expect(createGroup(catalog, 'more').ok).toBe(true)
  })

  it('are fewer by a quota, which is rate_limited', () => {
    const catalog = machine()
    createStream(catalog, 's')
    expect(createGroup(catalog, 'a', 1).ok).toBe(true)
    expect(failureOf(createGroup(catalog, 'b', 1))).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 })
    expect(failureOf(createGroup(catalog, 'a', 1))).toMatchObject({ code: 'already_exists' })
  })
})
