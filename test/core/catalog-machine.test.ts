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
