import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getDurableObjectClassNameToUseSQLiteMap, unstable_readConfig } from 'wrangler'
import { listenersOn } from './processes.ts'
import { buildSite } from './site/build-site.ts'

const TAIL = 'tail'
const NEIGHBOUR = 'neighbour'

const root = fileURLToPath(new URL('..', import.meta.url))

/** How `startLocal` runs the server; everything has a default. */
export type LocalOptions = {
  /** Folder of the SQLite files. It is kept. Without it, a fresh temporary folder that `stop` deletes. */
  persistTo?: string
  /** Port on 127.0.0.1. Without it, a free one. */
  port?: number
  /** Vars over those of `wrangler.toml`; `RHEO_AUTH` is `open` unless given. */
  vars?: Record<string, string>
  /** Build the pages and serve them too. */
  pages?: boolean
  /** A second Worker beside the server, as one module: it reaches the server by its service binding `RHEO`. */
  neighbour?: string
  /** Serve the Worker without Miniflare's own entry Worker in front: for measurements, and closest to production. */
  directSockets?: boolean
  /** A Tail Worker beside it: its source, from the root of the project, and its vars. */
  tail?: { main: string; vars: Record<string, string> }
  /** A Worker that has been built already, as one module. Without it, the sources are bundled. */
  script?: string
  /** Opens the runtime's inspector on this port of 127.0.0.1; 0 for a free one. */
  inspectorPort?: number
  /** Takes what the Worker writes to its console. Without it, warnings and errors go to stderr. */
  onLog?: (level: string, message: string) => void
}

/** A running server. */
export type Local = {
  /** Where it listens, without a slash at the end. It stays the same when the runtime is killed and restarted. */
  url: string
  /** The folder of the SQLite files. */
  persistTo: string
  /** Process ids of the workerd that serves `url` now: one, or none while it restarts. Linux only; elsewhere empty. */
  pids(): number[]
  /** Calls the neighbour. */
  callNeighbour(path: string): Promise<{ status: number; text(): Promise<string> }>
  /** Where the inspector listens, if it was asked for. */
  inspector(): Promise<URL>
  /** Ends the runtime, and deletes the folder if it was a temporary one. May be called twice. */
  stop(): Promise<void>
}

/**
 * Runs the server from its sources as a child of this process: the Worker bundled in memory, the runtime workerd, the
 * Durable Objects with SQLite on disk. Nothing attempts the network.
 *
 * A workerd that dies, also by `kill -9`, is started again by Miniflare on the same port with the same folder. It answers
 * again after 0.1 to 0.35 s (two cores); until then calls are reset or refused, and the caller has to try again.
 *
 * @example
 * const local = await startLocal()
 * await fetch(`${local.url}/v1/health`)
 * await local.stop()
 */
export async function startLocal(options: LocalOptions = {}): Promise<Local> {
  const config: WranglerConfig = unstable_readConfig({ config: path.join(root, 'wrangler.toml') })
  const script = options.script ?? (await bundle(config.main, config.define))
  const tail = options.tail === undefined ? null : await bundle(options.tail.main, config.define)
  // From here to Miniflare's own exit hook nothing waits, so a signal cannot leave the folder behind.
  const persistTo = options.persistTo ?? mkdtempSync(path.join(tmpdir(), 'rheo-'))
  const site = options.pages ? mkdtempSync(path.join(tmpdir(), 'rheo-site-')) : undefined
  const cleanUp = () => {
    process.off('exit', cleanUp)
    if (site !== undefined) rmSync(site, { recursive: true, force: true })
    if (options.persistTo === undefined) rmSync(persistTo, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', cleanUp)
  if (site !== undefined) await buildSite(site)
  const miniflare = new Miniflare(miniflareOptions(config, { script, tail }, { persistTo, site }, options))
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= miniflare.dispose().finally(cleanUp)
    return stopped
  }
  try {
    await miniflare.ready
    const address = options.directSockets ? await miniflare.unsafeGetDirectURL() : await miniflare.ready
    return {
      url: address.origin,
      persistTo,
      pids: () => listenersOn(Number(address.port)),
      inspector: () => miniflare.getInspectorURL(),
      callNeighbour: async (path) => (await miniflare.getWorker(NEIGHBOUR)).fetch(new URL(path, 'http://neighbour')),
      stop,
    }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

/** What is read of `wrangler.toml`; wrangler's own type of it names a package that it does not ship. */
type WranglerConfig = {
  name: string
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  define: Record<string, string>
  assets: { binding: string; run_worker_first: boolean }
  vars: Record<string, string>
  durable_objects: { bindings: { name: string; class_name: string }[] }
  migrations: { tag: string; new_sqlite_classes?: string[] }[]
}

type Scripts = { script: string; tail: string | null }
type Folders = { persistTo: string; site: string | undefined }

function miniflareOptions(config: WranglerConfig, { script, tail }: Scripts, folders: Folders, options: LocalOptions) {
  const usesSqlite = unstable_getDurableObjectClassNameToUseSQLiteMap(config.migrations)
  const durableObjects = config.durable_objects.bindings.map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: usesSqlite.get(className) ?? false },
  ])
  const address = { host: '127.0.0.1', port: options.port ?? 0 }
  const { directSockets = false, onLog = toStderr, neighbour } = options
  const worker = (name: string, contents: string) => ({
    name,
    modules: [{ type: 'ESModule' as const, path: 'index.js', contents }],
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  })
  const server = {
    ...worker(config.name, script),
    durableObjects: Object.fromEntries(durableObjects),
    bindings: { ...config.vars, RHEO_AUTH: 'open', ...options.vars },
    ...(folders.site === undefined ? {} : { assets: assetsOf(config, folders.site) }),
    ...(tail === null ? {} : { tails: [TAIL] }),
    ...(directSockets ? { unsafeDirectSockets: [address] } : {}),
  }
  const beside = [
    ...(neighbour === undefined ? [] : [{ ...worker(NEIGHBOUR, neighbour), serviceBindings: { RHEO: config.name } }]),
    ...(tail === null ? [] : [{ ...worker(TAIL, tail), bindings: options.tail?.vars ?? {} }]),
  ]
  return convertV4MiniflareOptions({
    workers: [server, ...beside],
    ...(directSockets ? { host: '127.0.0.1', port: 0 } : address),
    ...(options.inspectorPort === undefined
      ? {}
      : { inspectorPort: options.inspectorPort, inspectorHost: '127.0.0.1' }),
    // The option `isolatedResourcePersistencePath` reads as if it were meant for this, but is dropped without a word.
    resourcePersistencePath: folders.persistTo,
    log: new Log(LogLevel.NONE),
    logRequests: false,
    handleStructuredLogs: ({ level, message }) => onLog(level, message),
    cf: false,
    telemetry: { enabled: false },
  })
}

const assetsOf = ({ assets }: WranglerConfig, directory: string) => ({
  directory,
  binding: assets.binding,
  routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: assets.run_worker_first },
})

/** The Worker as one module, built as wrangler builds it. */
async function bundle(main: string, define: Record<string, string>): Promise<string> {
  const result = await build({
    entryPoints: [main],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    define,
    keepNames: true,
    logLevel: 'silent',
  })
  return result.outputFiles[0]!.text
}

function toStderr(level: string, message: string): void {
  if (level === 'warn' || level === 'error') process.stderr.write(`${message}\n`)
}
