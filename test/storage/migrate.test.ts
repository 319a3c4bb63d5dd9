import { describe, expect, it } from 'vitest'
import { migrate } from '../../src/storage/migrate.ts'
import { first } from '../../src/storage/sql.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

const one = ['create table a (x integer primary key)']
const two = ['create table b (x integer primary key)']

describe('Migrations of a database', () => {
  it('run once each, in order, and those that are added later run on what is there', () => {
    const sql = openNodeSql(':memory:')
    migrate(sql, [one])
    sql.run('insert into a (x) values (7)')
    for (let starts = 0; starts < 2; starts++) migrate(sql, [one, two])
    expect(first(sql, 'select x from a')).toEqual({ x: 7 })
    expect(first(sql, 'select count(*) as n from b')).toEqual({ n: 0 })
  })

  it('of a later release are refused by an earlier one, which says so and changes nothing', () => {
    const sql = openNodeSql(':memory:')
    migrate(sql, [one, two])
    expect(() => migrate(sql, [one])).toThrow(
      'the tables are of version 2, and this release knows 1: deploy a later one',
    )
    expect(first(sql, 'select max(version) as version from migrations')).toEqual({ version: 2 })
  })
})
