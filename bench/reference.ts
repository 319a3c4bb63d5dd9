import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { listenersOn } from '../scripts/processes.ts'

/**
 * What the platform itself costs: a bare Worker and one Durable Object that inserts the body of each request as one
 * row, unread, in the group commits that the platform makes by itself.
 */
const script = `
import { DurableObject } from 'cloudflare:workers'

export class Bare extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    ctx.storage.sql.exec('create table if not exists bodies (id integer primary key, body text not null)')
  }

  insert(body) {
    return this.ctx.storage.sql.exec('insert into bodies (body) values (?) returning id', body).one().id
  }
}

export default {
  async fetch(request, env) {
    const id = await env.BARE.get(env.BARE.idFromName('one')).insert(await request.text())
    return Response.json({ id }, { status: 201 })
  },
}
`

/** A running reference. `pids` are the processes that serve `url`; none where there is no /proc. */
export type Reference = { url: string; pids(): number[]; stop(): Promise<void> }

/** Runs the reference as the server is run: direct sockets, SQLite in a fresh temporary folder. */
export async function startReference(): Promise<Reference> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-reference-'))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'reference',
      modules: [{ type: 'ESModule', path: 'index.js', contents: script }],
      compatibilityDate: '2026-08-01',
      durableObjects: { BARE: { className: 'Bare', useSQLite: true } },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      ...{ host: '127.0.0.1', port: 0, resourcePersistencePath: folder },
      ...{ log: new Log(LogLevel.NONE), logRequests: false, cf: false, telemetry: { enabled: false } },
    }),
  )
  const stop = async () => {
    await miniflare.dispose()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await miniflare.ready
    const address = await miniflare.unsafeGetDirectURL()
    return { url: address.origin, pids: () => listenersOn(Number(address.port)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
