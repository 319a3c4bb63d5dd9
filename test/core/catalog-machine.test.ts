import { describe, expect, it } from 'vitest'
import { CatalogMachine } from '../../src/core/catalog/machine.ts'
import { defaultGroupOptions } from '../../src/core/group.ts'
import { limits } from '../../src/core/limits.ts'
import { openCatalogStore } from '../../src/storage/catalog.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

const NOW_MS = Date.UTC(2026, 2, 15, 12)
const groupCommand = {
  stream: 's',
  name: 'g',
  options: defaultGroupOptions,
  start: { kind: 'latest' },
  maxGroups: limits.groupsPerStream,
} as const

function open() {
  const machine = new CatalogMachine(openCatalogStore(openNodeSql(':memory:')))
  const created = (uid: string, partitionCount: number) => {
    const stream = machine.createStream({ name: 's', partitionCount, maxStreams: limits.streamsPerTenant }, uid, NOW_MS)
    if (!stream.ok) throw new Error(stream.failure.detail)
    return stream.value
  }
  return { machine, created }
}

describe('S8.16 a group whose stream goes while its starts are asked for', () => {
  it('is not added when the stream is gone', () => {
    const { machine, created } = open()
    const stream = created('old', 2)
    machine.deleteStream('s')
    const added = machine.addGroup(stream, groupCommand, [0, 0], 'group', NOW_MS)
    expect(added).toMatchObject({ ok: false, failure: { code: 'stream_not_found' } })
    expect(machine.unsynced()).toEqual([])
  })

  it('never reaches the partitions of a stream that was created under the same name', () => {
    const { machine, created } = open()
    const stream = created('old', 2)
    machine.deleteStream('s')
    created('new', 4)
    const added = machine.addGroup(stream, groupCommand, [0, 0], 'group', NOW_MS)
    expect(added).toMatchObject({ ok: false, failure: { code: 'stream_not_found' } })
    expect(machine.unsynced()).toEqual([])
    expect(machine.groups({ stream: 's', after: '', limit: 10 })).toMatchObject({ value: { groups: [] } })
  })
})

describe('groups and streams that are deleted', () => {
  const addGroup = (machine: CatalogMachine, stream: Parameters<CatalogMachine['addGroup']>[0], name = 'g') => {
    const added = machine.addGroup(stream, { ...groupCommand, name }, [0, 0], `uid-${name}`, NOW_MS)
    if (added.ok) machine.markSynced(added.value)
    return added
  }

  it('a group whose delete was cut short goes with its stream, and leaves nothing to finish', () => {
    const { machine, created } = open()
    addGroup(machine, created('old', 2))
    expect(machine.deleteGroup('s', 'g').ok).toBe(true)
    machine.deleteStream('s')
    expect(machine.doomed().map(({ group }) => group)).toEqual([null])
  })

  it('S8.16 a delete of a group never takes up that of a former stream', () => {
    const { machine, created } = open()
    addGroup(machine, created('old', 2))
    machine.deleteGroup('s', 'g')
    machine.deleteStream('s')
    created('new', 2)
    expect(machine.deleteGroup('s', 'g')).toMatchObject({ ok: false, failure: { code: 'group_not_found' } })
  })

  it('the number of groups is held at the moment of writing, however many were planned before', () => {
    const { machine, created } = open()
    const stream = created('old', 2)
    const one = { ...groupCommand, maxGroups: 1 }
    expect(machine.planGroup({ ...one, name: 'a' }).ok).toBe(true)
    expect(machine.planGroup({ ...one, name: 'b' }).ok).toBe(true)
    expect(machine.addGroup(stream, { ...one, name: 'a' }, [0, 0], 'a', NOW_MS).ok).toBe(true)
    expect(machine.addGroup(stream, { ...one, name: 'b' }, [0, 0], 'b', NOW_MS)).toMatchObject({
      failure: { code: 'rate_limited' },
    })
  })
})
