import { DurableObject } from 'cloudflare:workers'

/*
 * What Rheo Edge is measured beside: what the platform itself costs, and what one would use or write otherwise. Every
 * object takes a body unread and answers its rows, as `Rheo-Cost` does.
 */

/** An object whose methods do nothing: what no server on one object can go beyond without sharing calls. */
export class Nothing extends DurableObject {
  nothing(body) {
    return { id: body.length, rowsRead: 0, rowsWritten: 0 }
  }

  /** As much text as some answer has. */
  text(length) {
    return 'x'.repeat(length)
  }
}

/** One insert for each request, in the group commits that the platform makes by itself. */
export class Insert extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    ctx.storage.sql.exec('create table if not exists bodies (id integer primary key, body text not null)')
  }

  insert(body) {
    const cursor = this.ctx.storage.sql.exec('insert into bodies (body) values (?) returning id', body)
    const { id } = cursor.one()
    return { id, rowsRead: cursor.rowsRead, rowsWritten: cursor.rowsWritten }
  }
}

/** A row for each event, a batch by one statement. Nothing is checked. */
export class Rows extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    ctx.storage.sql.exec('create table if not exists events (sequence integer primary key, body text not null)')
  }

  insert(body) {
    const cursor = this.ctx.storage.sql.exec(
      `insert into events (body) select value from json_each(?, '$.events') returning sequence`,
      body,
    )
    const ids = cursor.toArray().map(({ sequence }) => sequence)
    return { ids, rowsRead: cursor.rowsRead, rowsWritten: cursor.rowsWritten }
  }
}

/**
 * The queue of the textbooks: a row for each event and one for each delivery, leased by an update, acked by a delete.
 * The index finds what is due, new or expired alike; batches go by one statement; a lease is fenced by its token.
 */
export class TextbookQueue extends DurableObject {
  #rowsRead = 0
  #rowsWritten = 0

  constructor(ctx, env) {
    super(ctx, env)
    for (const statement of [
      'create table if not exists events (sequence integer primary key, body text not null)',
      'create table if not exists groups (id integer primary key)',
      `create table if not exists deliveries (
        groupId integer not null, sequence integer not null, dueMs integer not null, attempts integer not null,
        token text, primary key (groupId, sequence)) without rowid`,
      'create index if not exists due on deliveries (groupId, dueMs, sequence)',
      'insert or ignore into groups values (1)',
    ])
      this.#all(statement)
  }

  append(body) {
    const rows = this.#all(
      `insert into events (body) select value from json_each(?, '$.events') returning sequence`,
      body,
    )
    const first = rows[0].sequence
    this.#all(
      `insert into deliveries (groupId, sequence, dueMs, attempts)
       select groups.id, events.sequence, 0, 0 from groups join events on events.sequence >= ?`,
      first,
    )
    return this.#counted({ first, count: rows.length })
  }

  lease(limit) {
    const token = crypto.randomUUID()
    const nowMs = Date.now()
    const leases = this.#all(
      `select sequence, attempts + 1 as attempt, body from deliveries join events using (sequence)
       where groupId = 1 and dueMs <= ? order by dueMs, sequence limit ?`,
      nowMs,
      limit,
    )
    this.#all(
      `update deliveries set dueMs = ?, attempts = attempts + 1, token = ?
       where groupId = 1 and sequence in (select value from json_each(?))`,
      nowMs + 30_000,
      token,
      sequencesOf(leases),
    )
    return this.#counted({ token, leases })
  }

  ack(token, sequences) {
    const acked = this.#all(
      `delete from deliveries
       where groupId = 1 and sequence in (select value from json_each(?)) and token = ? and dueMs > ? returning sequence`,
      JSON.stringify(sequences),
      token,
      Date.now(),
    )
    return this.#counted({ count: acked.length })
  }

  #all(statement, ...parameters) {
    const cursor = this.ctx.storage.sql.exec(statement, ...parameters)
    const rows = cursor.toArray()
    this.#rowsRead += cursor.rowsRead
    this.#rowsWritten += cursor.rowsWritten
    return rows
  }

  /** An answer with what the object has counted since the last one. */
  #counted(answer) {
    const cost = { rowsRead: this.#rowsRead, rowsWritten: this.#rowsWritten }
    this.#rowsRead = 0
    this.#rowsWritten = 0
    return { ...answer, ...cost }
  }
}

const sequencesOf = (leases) => JSON.stringify(leases.map(({ sequence }) => sequence))

/** Messages that the queue's consumer has had, and what waits for it. All in the one isolate of this Worker. */
const consumed = { count: 0, isHeld: false, until: null }

const routes = {
  nothing: async (request, env) => counted(await one(env.NOTHING).nothing(await request.text())),
  async text(request, env) {
    const text = await one(env.NOTHING).text(Number(await request.text()))
    return new Response(text, { headers: { 'rheo-cost': 'rows-read=0, rows-written=0, objects=1' } })
  },
  insert: async (request, env) => counted(await one(env.INSERT).insert(await request.text())),
  rows: async (request, env) => counted(await one(env.ROWS).insert(await request.text())),
  /** Rows for callers who are told of each event what became of it, as a careful server tells them. */
  async rowsAnswered(request, env) {
    const { events } = await request.json()
    const { ids, ...cost } = await one(env.ROWS).insert(JSON.stringify({ events }))
    const at = new Date().toISOString()
    return counted({ events: events.map((event, index) => ({ id: ids[index], at, ...event })), ...cost })
  },
  append: async (request, env) => counted(await one(env.TEXTBOOK).append(await request.text())),
  async fetch(request, env) {
    const { limit } = await request.json()
    const { leases, ...answer } = await one(env.TEXTBOOK).lease(limit)
    const parsed = leases.map(({ body, ...lease }) => ({ ...lease, event: JSON.parse(body) }))
    return counted({ ...answer, leases: parsed })
  },
  async ack(request, env) {
    const { token, sequences } = await request.json()
    return counted(await one(env.TEXTBOOK).ack(token, sequences))
  },
  async send(request, env) {
    await env.QUEUE.send(await request.json())
    return Response.json({})
  },
  async sendBatch(request, env) {
    const { events } = await request.json()
    await env.QUEUE.sendBatch(events.map((body) => ({ body })))
    return Response.json({})
  },
  /** Keeps the consumer from taking more, so that a backlog can be made. */
  async hold() {
    consumed.isHeld = true
    consumed.count = 0
    return Response.json({})
  },
  /** Lets the consumer run, and answers when it has had so many messages. */
  async drain(request) {
    const { count } = await request.json()
    consumed.isHeld = false
    await consumedTo(count)
    return Response.json({ count: consumed.count })
  },
  async release() {
    consumed.isHeld = false
    return Response.json({})
  },
  /** Sends, and answers when the consumer has had what was sent. */
  async sendAndWait(request, env) {
    const message = await request.json()
    await andWait(1, () => env.QUEUE.send(message))
    return Response.json({})
  },
  async sendBatchAndWait(request, env) {
    const { events } = await request.json()
    await andWait(events.length, () => env.QUEUE.sendBatch(events.map((body) => ({ body }))))
    return Response.json({})
  },
}

export default {
  async fetch(request, env) {
    return await routes[new URL(request.url).pathname.slice(1)](request, env)
  },

  async queue(batch) {
    while (consumed.isHeld) await scheduler.wait(1)
    consumed.count += batch.messages.length
    if (consumed.until !== null && consumed.count >= consumed.until.count) consumed.until.resolve()
  },
}

const one = (namespace) => namespace.get(namespace.idFromName('one'))

/** The timer is there for the runtime, which ends a call that waits for nothing that it knows of. */
async function consumedTo(count) {
  if (consumed.count >= count) return
  const { promise, resolve } = Promise.withResolvers()
  consumed.until = { count, resolve }
  await Promise.race([promise, scheduler.wait(60_000)])
}

async function andWait(count, send) {
  consumed.count = 0
  const had = consumedTo(count)
  await send()
  await had
}

function counted({ rowsRead, rowsWritten, ...answer }) {
  const cost = `rows-read=${rowsRead}, rows-written=${rowsWritten}, objects=1`
  return Response.json(answer, { headers: { 'rheo-cost': cost } })
}
