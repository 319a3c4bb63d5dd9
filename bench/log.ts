import type { Call } from './client.ts'

/** An event of about 150 bytes, as a market sends them. `order` is its own; `tenor` and `side` go together always. */
export function event(n: number) {
  const isEven = n % 2 === 0
  const payload = {
    rate: 2.9 + (n % 100) / 1_000,
    tenor: isEven ? '6M' : '3M',
    side: isEven ? 'bid' : 'ask',
    order: orderAt(n),
  }
  return { type: 'curve_update', key: `EUR-EURIBOR-${n % 50}`, payload }
}

/** A value that one event alone has: the multiplication hits each 32-bit number once. */
export function orderAt(n: number): string {
  return (Math.imul(n, 0x9e3779b1) >>> 0).toString(16)
}

/** A body with so many events, from the n-th on. */
export function eventsFrom(n: number, count: number): string {
  return JSON.stringify({ events: Array.from({ length: count }, (_, index) => event(n + index)) })
}

const batch = 1_000

/** A log of one partition that groups read. */
export class Log {
  readonly path: string
  readonly #call: Call
  #count = 0
  #groups = 0

  constructor(call: Call, stream: string) {
    this.#call = call
    this.path = `/v1/streams/${stream}`
  }

  get count(): number {
    return this.#count
  }

  /** Makes the stream with so many events. */
  async create(count: number): Promise<this> {
    const name = this.path.slice(this.path.lastIndexOf('/') + 1)
    await this.#call('POST', '/v1/streams', JSON.stringify({ name, partitionCount: 1 }))
    await this.append(count)
    return this
  }

  async append(count: number): Promise<void> {
    for (let appended = 0; appended < count; appended += batch) {
      const body = eventsFrom(this.#count + 1, Math.min(batch, count - appended))
      await this.#call('POST', `${this.path}/events`, body)
      this.#count += Math.min(batch, count - appended)
    }
  }

  /** Makes a group that begins with the first event, and answers its path. */
  async group(): Promise<string> {
    const name = `g${this.#groups++}`
    await this.#call('POST', `${this.path}/groups`, JSON.stringify({ name }))
    return `${this.path}/groups/${name}`
  }

  /** Acks all that a group has not had yet. */
  async consume(group: string): Promise<void> {
    const worker = async () => {
      for (let receipt = await this.#receipt(group); receipt !== undefined; receipt = await this.#receipt(group)) {
        await this.#call('POST', `${group}/ack`, JSON.stringify({ receipts: [receipt] }))
      }
    }
    await Promise.all([worker(), worker(), worker()])
  }

  async #receipt(group: string): Promise<string | undefined> {
    return receiptIn((await this.#call('POST', `${group}/fetch`, JSON.stringify({ limit: 1_000 }))).text)
  }

  /**
   * Leaves so many fragments at the beginning of a group's ledger: of four deliveries one is leased, one is a dead letter
   * and two are acked, so that nothing joins and the frontier stays where it is.
   */
  async fragment(group: string, fragments: number): Promise<void> {
    const body = JSON.stringify({ limit: 1_000, leaseMs: 43_200_000 })
    for (let made = 0; made < fragments; made += 500) {
      const leaseIds = leaseIdsIn((await this.#call('POST', `${group}/fetch`, body)).text)
      const items = leaseIds.flatMap((leaseId, index) =>
        index % 4 === 1 ? [] : [{ leaseId, outcome: index % 4 === 3 ? 'reject' : 'ack' }],
      )
      await this.#call('POST', `${group}/settle`, JSON.stringify({ items }))
    }
  }
}

/** Read by eye and not parsed: half a megabyte of JSON would take the processor that the server needs. */
export function receiptIn(answer: string): string | undefined {
  return /"receipt":"([^"]+)"/.exec(answer)?.[1]
}

export function leaseIdsIn(answer: string): string[] {
  return Array.from(answer.matchAll(/"leaseId":"([^"]+)"/g), ([, leaseId]) => leaseId!)
}
