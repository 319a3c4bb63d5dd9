import { exports } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import page from '../../docs/internals/performance.md?raw'

/*
 * Every operation through the whole Worker, one after the other on one stream, and what each says that it has cost. The
 * page's table is held to exactly these figures.
 */

const server = (exports as unknown as { default: Fetcher }).default
const stream = '/v1/streams/ticks'
const group = `${stream}/groups/g`
const event = (n: number) => ({ type: 'tick', payload: { rate: n, side: n % 2 === 0 ? 'bid' : 'ask', order: `o${n}` } })
const events = (count: number, more: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ ...event(n), ...more(n) }))

type Lease = { leaseId: string; receipt: string; eventId: string }
type Cost = readonly [rowsWritten: number, rowsRead: number, objects: number]
const costs = new Map<string, Cost>()

/** Makes a call that must succeed, and keeps its cost under the name of an operation unless that is null. */
async function call<T>(
  operation: string | null,
  method: string,
  path: string,
  body?: object,
  headers = {},
): Promise<T> {
  const answer = await server.fetch(`http://localhost${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'rheo-tenant': 'costs', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300)
  const [, read, written, objects] = /=(\d+), .*=(\d+), .*=(\d+)/.exec(answer.headers.get('rheo-cost')!)!
  if (operation !== null) costs.set(operation, [Number(written), Number(read), Number(objects)])
  return (text === '' ? undefined : JSON.parse(text)) as T
}

const append = (operation: string | null, body: object, headers = {}) =>
  call<unknown>(operation, 'POST', `${stream}/events`, body, headers)
const post = <T>(operation: string | null, path: string, body: object) => call<T>(operation, 'POST', group + path, body)
const fetchOf = async (operation: string | null, limit: number) =>
  (await post<{ leases: Lease[] }>(operation, '/fetch', { limit, leaseMs: 600_000 })).leases
const item = ({ leaseId }: Lease) => ({ leaseId })
const get = (operation: string, path: string) => call<{ events: { id: string }[] }>(operation, 'GET', path)

test('every operation costs the rows and objects that performance.md says', async () => {
  await appends()
  await deliveries()
  await reads()
  await repairs()
  const found = [...costs].map(([operation, cost]) => [operation, ...cost])
  expect(found).toEqual(documented())
})

async function appends(): Promise<void> {
  await call('create a stream', 'POST', '/v1/streams', { name: 'ticks', partitionCount: 1 })
  await append('append 1, the first of a partition', event(0))
  await append('append 1', event(0))
  await append('append 100', { events: events(100) })
  await append('append 1 000', { events: events(1_000) })
  await append('append 100 with an idempotency key', { events: events(100) }, { 'idempotency-key': 'k' })
  await append('append 100 again with the same key', { events: events(100) }, { 'idempotency-key': 'k' })
  await append('append 100 with chosen ids', { events: events(100, (n) => ({ id: `id-${n}` })) })
  await append('append 100 again with the same ids', { events: events(100, (n) => ({ id: `id-${n}` })) })
}

async function deliveries(): Promise<void> {
  await call('create a group', 'POST', `${stream}/groups`, { name: 'g' })
  const first = await fetchOf('fetch 100, arms the alarm', 100)
  await post('ack a whole claim by receipt', '/ack', { receipts: [first[0]!.receipt] })
  const second = await fetchOf('fetch 100', 100)
  await post('ack a whole claim by lease ids', '/ack', { leases: second.map(item) })
  const one = await fetchOf('fetch 1', 1)
  await post('ack 1 claimed alone', '/ack', item(one[0]!))
  const part = await fetchOf(null, 100)
  await post('ack at the end of a claim', '/ack', item(part.pop()!))
  await post('ack in the middle of a claim', '/ack', item(part.splice(50, 1)[0]!))
  await post('nack in the middle of a claim', '/nack', item(part.splice(40, 1)[0]!))
  await post('nack with a delay', '/nack', { ...item(part.splice(30, 1)[0]!), delayMs: 600_000 })
  await post('reject in the middle of a claim', '/reject', item(part.splice(20, 1)[0]!))
  await post('release in the middle of a claim', '/release', item(part.splice(10, 1)[0]!))
  await post('renew in the middle of a claim', '/renew', item(part[60]!))
  await post('ack what is left of the claim', '/ack', { receipts: [part[0]!.receipt] })
  await fetchOf('fetch 100, of them two open again', 100).then((leases) =>
    post(null, '/ack', { receipts: [leases[0]!.receipt] }),
  )
  const held = await fetchOf(null, 100)
  const items = held.map((lease) => ({ ...item(lease), outcome: 'ack' }))
  const { leases } = await post<{ leases: Lease[] }>('settle 100 and fetch 100', '/settle', {
    items,
    fetch: { limit: 100, leaseMs: 600_000 },
  })
  await post('renew a whole claim', '/renew', { leases: leases.map(item) })
  await post('nack a whole claim', '/nack', { receipts: [leases[0]!.receipt] })
}

async function reads(): Promise<void> {
  const { events } = await get('read 100', `${stream}/events?limit=100`)
  await get('event by its id', `${stream}/events/${events[0]!.id}`)
  await get('event by a chosen id', `${stream}/events/id-7`)
  await get('list streams', '/v1/streams')
  await get('stream', stream)
  await get('list groups', `${stream}/groups`)
  await get('group', group)
  await get('lag', `${group}/lag`)
  await get('holes', `${group}/holes`)
  await get('leases', `${group}/leases`)
  await get('dead letters', `${group}/dead-letters`)
  const query = (operation: string, where: object) => call(operation, 'POST', `${stream}/query`, { where, limit: 100 })
  await query('query a value that one event has', { order: 'o777' })
  await query('query a common value, 100 matches', { side: 'bid' })
  await query('query a value that no event has', { order: 'none' })
}

async function repairs(): Promise<void> {
  const replay = (operation: string, body: object) => post(operation, '/replay', body)
  await replay('replay, dry run', { fromSequence: 0, dryRun: true })
  await replay('replay from a sequence', { fromSequence: 0 })
  const [lease] = await fetchOf(null, 1)
  await post(null, '/reject', item(lease!))
  await post('redrive one dead letter', '/dead-letters/redrive', { eventIds: [lease!.eventId] })
  await fetchOf(null, 100)
  await post('release of a consumer that has none', '/leases/release', { consumerId: 'nobody' })
  await call('change a group', 'PATCH', group, { maxAttempts: 7 })
  await post('reset', '/reset', { confirm: true, start: 'latest' })
  await fetchOf('empty fetch', 100)
  await call('delete a group', 'DELETE', `${group}?confirm=true`)
  await call('delete a stream', 'DELETE', `${stream}?confirm=true`)
}

/** The rows of the page's table of operations. */
function documented(): (string | number)[][] {
  const [table = ''] = page.split('## What each operation costs')[1]!.split('\n## ')
  return [...table.matchAll(/^\| ([^|]*?) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\|$/gm)].map(
    ([, operation, ...numbers]) => [operation!, ...numbers.map(Number)],
  )
}
