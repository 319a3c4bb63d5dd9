// An outbox: an order and its event are written in one transaction, and the event is appended afterwards, once.
import { DatabaseSync } from 'node:sqlite'
import { Rheo } from 'rheo-edge/client'

export function openShop(file = ':memory:'): DatabaseSync {
  const shop = new DatabaseSync(file)
  shop.exec(`
    create table if not exists orders (id integer primary key, customer text not null, total real not null);
    create table if not exists outbox (
      id integer primary key autoincrement, type text not null, key text not null, payload text not null
    )`)
  return shop
}

/** Both rows or none: there is no order without its event, and no event of an order that was rolled back. */
export function placeOrder(shop: DatabaseSync, customer: string, total: number): void {
  shop.exec('begin immediate')
  try {
    const { lastInsertRowid: id } = shop
      .prepare('insert into orders (customer, total) values (?, ?)')
      .run(customer, total)
    const payload = JSON.stringify({ order: Number(id), total })
    shop.prepare('insert into outbox (type, key, payload) values (?, ?, ?)').run('placed', customer, payload)
    shop.exec('commit')
  } catch (error) {
    shop.exec('rollback')
    throw error
  }
}

type Row = { id: number; type: string; key: string; payload: string }

/**
 * Appends what is in the outbox, and forgets it when it is in. A crash between the two appends again; the ids are those of
 * the rows and the keys are the same, so that the stream answers with the events it has.
 */
export async function relay(shop: DatabaseSync, rheo: Rheo): Promise<number> {
  const rows = shop.prepare('select * from outbox order by id limit 1000').all() as Row[]
  if (rows.length === 0) return 0
  const events = rows.map(({ id, type, key, payload }) => ({
    id: `outbox-${id}`,
    type,
    key,
    payload: JSON.parse(payload),
  }))
  await rheo.appendMany('orders', events)
  shop.prepare('delete from outbox where id <= ?').run(rows.at(-1)!.id)
  return rows.length
}

if (import.meta.main) {
  const rheo = new Rheo({ url: process.env.RHEO_URL ?? 'http://localhost:8787' })
  const shop = openShop('shop.sqlite')
  placeOrder(shop, 'customer-7', 40)
  console.log(`appended: ${await relay(shop, rheo)}`)
}
