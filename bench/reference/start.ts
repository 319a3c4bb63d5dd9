import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { listenersOn } from '../../scripts/processes.ts'
import type { Target } from '../load.ts'

/** Runs the references as the server is run: direct sockets, SQLite in a fresh temporary folder. */
export async function startReference(): Promise<Target & { stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-reference-'))
  const script = readFileSync(new URL('worker.js', import.meta.url), 'utf8')
  const object = (className: string) => ({ className, useSQLite: true })
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'reference',
      modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
      compatibilityDate: '2026-08-01',
      durableObjects: {
        NOTHING: object('Nothing'),
        INSERT: object('Insert'),
        ROWS: object('Rows'),
        TEXTBOOK: object('TextbookQueue'),
      },
      queueProducers: { QUEUE: 'events' },
      // The greatest batch that the platform gives, and no waiting for one to fill.
      queueConsumers: { events: { maxBatchSize: 100, maxBatchTimeout: 0 } },
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
