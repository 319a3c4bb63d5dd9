import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ObjectNamespace } from '../../src/testing/object-namespace.ts'
import { PendingWork } from '../../src/testing/pending-work.ts'

/** An object that shows what the host promises. */
class Sample {
  readonly #ctx: DurableObjectState
  readonly seen: string[] = []
  alarmsToFail = 0

  constructor(ctx: DurableObjectState, { failsToStart }: { failsToStart: boolean }) {
    this.#ctx = ctx
    ctx.blockConcurrencyWhile(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      if (failsToStart) throw new Error('does not start')
      this.#ctx.storage.sql.exec('create table if not exists t (n integer)')
      this.seen.push('ready')
    })
  }

  note(text: string): string[] {
    this.seen.push(text)
    return this.seen
  }

  take(value: { n: number }): { n: number } {
    value.n += 1
    return value
  }

  fail(): never {
    throw new TypeError('no')
  }

  write(n: number, fails: boolean): void {
    this.#ctx.storage.sql.exec('insert into t (n) values (?)', n)
    this.#ctx.storage.transactionSync(() => {
      this.#ctx.storage.sql.exec('insert into t (n) values (?)', n + 1)
      if (fails) throw new Error('taken back')
    })
  }

  rows(): number[] {
    return [...this.#ctx.storage.sql.exec<{ n: number }>('select n from t order by n')].map(({ n }) => n)
  }

  cost(): unknown {
    const { sql } = this.#ctx.storage
    const [inserted] = [sql.exec('insert into t (n) values (7), (8)')]
    const read = sql.exec('select n from t')
    for (const _ of read) if (read.rowsRead === 1) break
    return { inserted: inserted.rowsWritten, read: read.rowsRead }
  }

  async setAlarm(inMs: number, alarmsToFail = 0): Promise<number | null> {
    this.alarmsToFail = alarmsToFail
    await this.#ctx.storage.setAlarm(Date.now() + inMs)
    return this.#ctx.storage.getAlarm()
  }

  deleteAlarm(): Promise<void> {
    return this.#ctx.storage.deleteAlarm()
  }

  deleteAll(): Promise<void> {
    return this.#ctx.storage.deleteAll()
  }

  tables(): number {
    return [...this.#ctx.storage.sql.exec('select name from sqlite_master')].length
  }

  async alarm(): Promise<void> {
    this.seen.push(`alarm ${await this.#ctx.storage.getAlarm()}`)
    this.alarmsToFail -= 1
    if (this.alarmsToFail >= 0) throw new Error('alarm fails')
  }

  async fetch(request: Request): Promise<Response> {
    const gone = new Promise((resolve) => request.signal.addEventListener('abort', () => resolve('gone')))
    if (request.method === 'POST') return new Response(await request.text())
    this.seen.push(String(await gone))
    return new Response()
  }
}

type SampleStub = { fetch: typeof fetch } & {
  [K in Exclude<keyof Sample, 'fetch' | 'seen' | 'alarmsToFail'>]: (
    ...parameters: Parameters<Sample[K]>
  ) => Promise<Awaited<ReturnType<Sample[K]>>>
}

let env = { failsToStart: false }
let namespace: ObjectNamespace<typeof env>
const stub = (name = 'a') => namespace.get(namespace.idFromName(name)) as unknown as SampleStub
const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

beforeEach(() => {
  env = { failsToStart: false }
  namespace = new ObjectNamespace({
    objectClass: Sample,
    database: DatabaseSync,
    folder: null,
    env: () => env,
    work: new PendingWork(),
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  namespace.close()
})

test('calls wait for what the constructor blocks on', async () => {
  expect(await stub().note('first')).toEqual(['ready', 'first'])
})

test('a name is one object, another name another', async () => {
  await stub('a').note('x')
  expect(await stub('a').note('y')).toEqual(['ready', 'x', 'y'])
  expect(await stub('b').note('z')).toEqual(['ready', 'z'])
})

test('an object that does not start fails its calls', async () => {
  env.failsToStart = true
  await expect(stub().note('x')).rejects.toThrow('does not start')
})

test('parameters and results are copies', async () => {
  const value = { n: 1 }
  expect(await stub().take(value)).toEqual({ n: 2 })
  expect(value).toEqual({ n: 1 })
  const seen = await stub().note('x')
  seen.push('mine')
  expect(await stub().note('y')).toEqual(['ready', 'x', 'y'])
})

test('a throw comes back as an error', async () => {
  await expect(stub().fail()).rejects.toThrow('no')
})

test('a stub is no promise', async () => {
  expect((await Promise.resolve(stub())).note).toBeTypeOf('function')
})

test('a transaction takes back what it wrote, and nothing else', async () => {
  await expect(stub().write(1, true)).rejects.toThrow('taken back')
  expect(await stub().rows()).toEqual([1])
  await stub().write(5, false)
  expect(await stub().rows()).toEqual([1, 5, 6])
})

test('rows are read as they are asked for, and counted as far as SQLite tells', async () => {
  await stub().write(1, false)
  expect(await stub().cost()).toEqual({ inserted: 2, read: 1 })
})

test('an alarm fires once, and is not set while it runs', async () => {
  expect(await stub().setAlarm(20)).toBeTypeOf('number')
  await pauseMs(100)
  expect(await stub().note('x')).toEqual(['ready', 'alarm null', 'x'])
})

test('an alarm that was deleted does not fire', async () => {
  await stub().setAlarm(20)
  await stub().deleteAlarm()
  await pauseMs(60)
  expect(await stub().note('x')).toEqual(['ready', 'x'])
})

test('an alarm that throws is run again', async () => {
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const set = stub().setAlarm(20, 2)
    await vi.advanceTimersByTimeAsync(10)
    await set
    await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 100)
    expect(await stub().note('x')).toEqual(['ready', 'alarm null', 'alarm null', 'alarm null', 'x'])
    expect(complaint).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
  }
})

test('an alarm later than a timer can be waits all the same', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  await stub().setAlarm(10 * 365 * 86_400_000)
  await pauseMs(20)
  expect(await stub().note('x')).toEqual(['ready', 'x'])
  expect(warned).not.toHaveBeenCalled()
})

test('deleteAll leaves nothing, no alarm either', async () => {
  await stub().write(1, false)
  await stub().setAlarm(20)
  expect(await stub().tables()).toBe(2)
  await stub().deleteAll()
  expect(await stub().tables()).toBe(0)
  await pauseMs(60)
  expect(await stub().note('x')).toEqual(['ready', 'x'])
})

test('fetch carries a body in and out, and tells the object that its caller has gone', async () => {
  const answer = await stub().fetch('https://object/', { method: 'POST', body: 'hello' })
  expect(await answer.text()).toBe('hello')
  const leaving = new AbortController()
  const waiting = stub().fetch('https://object/', { signal: leaving.signal })
  await pauseMs(20)
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await pauseMs(20)
  expect(await stub().note('x')).toEqual(['ready', 'gone', 'x'])
})
