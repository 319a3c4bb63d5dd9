import type { StreamRecord } from '../../core/catalog/commands.ts'
import { ok, type Result } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { clientGone } from '../answer.ts'
import { askCatalog } from '../ask.ts'
import { type Call, notCovered } from '../call.ts'
import { invalidRequest } from '../contract/check.ts'
import { checkName } from '../contract/name.ts'
import { PROMETHEUS } from '../metrics/exposition.ts'
import { scrape } from '../metrics/scrape.ts'
import { covers } from '../principal.ts'
import type { Route } from '../route.ts'
import { coveredStreams } from './streams.ts'

/** The streams that a scrape asks for by `?stream=`: names, and beginnings of names that end in `*`. */
function readStreams(url: string): Result<string[]> {
  const { searchParams } = new URL(url)
  for (const name of searchParams.keys()) if (name !== 'stream') return invalidRequest(name, 'is not known here')
  const wanted = searchParams.getAll('stream')
  return wanted.length > limits.scrapeStreams
    ? invalidRequest('stream', `must be given at most ${limits.scrapeStreams} times`)
    : ok(wanted)
}

/** Streams by name: those that are named must be there and be covered, of all others only what is covered is meant. */
async function findStreams(call: Call, wanted: readonly string[]): Promise<Result<StreamRecord[]>> {
  const found = new Map<string, StreamRecord>()
  for (const stream of wanted) {
    const isBeginning = stream.endsWith('*')
    const named = stream === '*' ? ok(null) : checkName('stream', isBeginning ? stream.slice(0, -1) : stream)
    if (!named.ok) return named
    if (isBeginning) continue
    if (!covers(call, stream)) return notCovered(stream)
    const one = await askCatalog(call, { type: 'stream', stream })
    if (!one.ok) return one
    found.set(stream, one.value)
  }
  const isList = wanted.length === 0 || wanted.some((stream) => stream.endsWith('*'))
  for (let after = '', more = isList; more; ) {
    const page = await coveredStreams(call, after, limits.pageItems)
    if (!page.ok) return page
    for (const stream of page.value.streams) {
      if (wanted.length === 0 || covers({ streams: wanted }, stream.name)) found.set(stream.name, stream)
      after = stream.name
    }
    more = page.value.more
  }
  return ok([...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
}

const metrics: Route = {
  method: 'GET',
  path: '/v1/metrics',
  scope: 'read',
  async respond(call, request) {
    const wanted = readStreams(request.url)
    if (!wanted.ok) return wanted
    const streams = await findStreams(call, wanted.value)
    if (!streams.ok) return streams
    const text = await scrape(call, streams.value)
    return ok(call.signal.aborted ? clientGone() : new Response(text, { headers: { 'Content-Type': PROMETHEUS } }))
  },
}

/** Routes of figures for machines. */
export const metricsRoutes = [metrics]
