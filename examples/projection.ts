// A projection: what each customer has spent, as a table that can be thrown away and made again from the stream.
import { DatabaseSync } from 'node:sqlite'
import { ack, Rheo, type StreamEvent } from 'rheo-edge/client'

type Order = { readonly total: number }

const tables = `
  create table if not exists seen (event text primary key) without rowid;
  create table if not exists spent (customer text primary key, total real not null) without rowid`

export function openProjection(file = ':memory:'): DatabaseSync {
  const projection = new DatabaseSync(file)
  projection.exec(tables)
  return projection
}

/** Delivery is at least once: the id of what was seen is noted in the transaction that adds it. */
export function apply(projection: DatabaseSync, { id, key, payload }: StreamEvent<Order>): void {
  projection.exec('begin immediate')
  try {
    const { changes } = projection.prepare('insert or ignore into seen values (?)').run(id)
    if (changes === 1) {
      const add = 'insert into spent values (?, ?) on conflict do update set total = total + excluded.total'
      projection.prepare(add).run(key, payload.total)
    }
    projection.exec('commit')
  } catch (error) {
    projection.exec('rollback')
    throw error
  }
}

/** Applies what the group has not had yet, and ends when there is no more. */
export async function catchUp(projection: DatabaseSync, rheo: Rheo): Promise<void> {
  const consumer = await rheo.consumer<Order>({
    stream: 'orders',
    group: 'spending',
    handler: (event) => {
      apply(projection, event)
      return ack
    },
    pollMs: 0,
    onEvent: (event) => {
      if (event.type === 'fetched' && event.reason === 'caught_up') void consumer.drain(10_000)
    },
  })
  await consumer.closed
}

/** Starts from nothing: an empty table, and the whole history once more. No other group notices. */
export async function rebuild(projection: DatabaseSync, rheo: Rheo): Promise<void> {
  projection.exec(`drop table seen; drop table spent; ${tables}`)
  await rheo.groups.replay('orders', 'spending', { fromSequence: 0, resetAttempts: true })
  await catchUp(projection, rheo)
}

if (import.meta.main) {
  const rheo = new Rheo({ url: process.env.RHEO_URL ?? 'http://localhost:8787' })
  const projection = openProjection('spending.sqlite')
  await (process.argv[2] === 'rebuild' ? rebuild : catchUp)(projection, rheo)
  console.table(projection.prepare('select * from spent').all())
}
