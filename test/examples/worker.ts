import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs an example Worker in workerd, its binding RHEO leading to a server. */
export async function startWorker(entry: string, server: string, bindings: Record<string, string>): Promise<Miniflare> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'examples', entry)],
    alias: { 'rheo-edge/client': path.join(root, 'src/client/index.ts') },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
  })
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'index.js', contents: outputFiles[0]!.text }],
      compatibilityDate: '2026-08-01',
      bindings,
      serviceBindings: { RHEO: (request: Request) => toServer(request, server) },
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      cf: false,
      telemetry: { enabled: false },
    }),
  )
  await miniflare.ready
  return miniflare
}

/** What the platform does for a service binding: the same request to another Worker, whatever host it names. */
async function toServer(request: Request, server: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  return fetch(`${server}${pathname}${search}`, {
    method: request.method,
    headers: Object.fromEntries([...request.headers].filter(([name]) => name !== 'host')),
    ...(hasBody ? { body: await request.text() } : {}),
  })
}
