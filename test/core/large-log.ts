import { parseEvent } from '../../src/core/event.ts'
import { defaultGroupOptions } from '../../src/core/group.ts'
import type { Command, CommandName, CommandOut, QueryRequest } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { parseConditions } from '../../src/core/query/condition.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import { CountingSql } from '../storage/counting-sql.ts'

const START_MS = Date.UTC(2026, 2, 15, 12)
const MAX_BYTES = 8_388_608
/** What the edge lets a partition look at for one page. */
const MAX_LOOKED = 8_000_000

export interface Spent {
  rowsRead: number
  rowsWritten: number
  ms: number
}

/** A partition in memory whose cost is counted, for tests of what stays cheap when the log is long. */
export class LargeLog {
  readonly sql = new CountingSql(openNodeSql(':memory:'))
  readonly #machine = new PartitionMachine(openPartitionStore(this.sql), {
    tenant: 'acme',
    stream: 'ticks',
    uid: 'u7',
    partition: 0,
  })
  #nowMs = START_MS
  #tokens = 0

  run<N extends CommandName>(command: Command<N>): CommandOut<N> {
    const answer = this.#machine.run(command, this.#nowMs)
    if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
    return answer.value
  }

  /** Runs work and says what it has cost. */
  spent<T>(work: () => T): { value: T; spent: Spent } {
    const { rowsRead, rowsWritten } = this.sql
    const started = performance.now()
    const value = work()
    const ms = performance.now() - started
    return {
      value,
      spent: { rowsRead: this.sql.rowsRead - rowsRead, rowsWritten: this.sql.rowsWritten - rowsWritten, ms },
    }
  }

  /** Appends events in requests of 1 000, one each millisecond; `eventAt` makes the n-th, from 1 on. */
  append(count: number, eventAt: (n: number) => object): void {
    for (let first = 1; first <= count; first += 1_000) {
      const events = Array.from({ length: Math.min(1_000, count - first + 1) }, (_, index) => {
        const parsed = parseEvent(eventAt(first + index), '')
        if (!parsed.ok) throw new Error(parsed.failure.detail)
        return parsed.value
      })
      this.#nowMs += 1
      this.run({
        type: 'append',
        append: {
          lines: events.map(({ line }) => line).join('\n'),
          count: events.length,
          ids: [],
          times: [],
          terms: Uint32Array.from(new Set(events.flatMap(({ terms }) => terms))),
          atMs: this.#nowMs,
          idempotency: null,
          expectedSequence: null,
        },
      })
    }
  }

  group(): void {
    const install = { uid: 'g', name: 'g', revision: 1, options: defaultGroupOptions, start: 0, epoch: 0 }
    this.run({ type: 'installGroup', install })
  }

  /** Fetches up to 1 000 and acks them by their receipt; the sequences and attempts of what was given. */
  consume(): { sequence: number; attempt: number }[] {
    return JSON.parse(`[${this.#ackSome()}]`) as { sequence: number; attempt: number }[]
  }

  /** Consumes to the end of the log. */
  drain(): void {
    while (this.#ackSome() !== '');
  }

  #ackSome(): string {
    const token = `${++this.#tokens}`.padStart(22, '_')
    const fetch = { group: 'g', limit: 1_000, leaseMs: null, consumerId: null, token, maxBytes: MAX_BYTES }
    const { receipt, leases } = this.run({ type: 'fetch', fetch })
    if (receipt === null) return ''
    const claims = { group: 'g', receipts: [receipt], outcome: 'ack', reason: null, delayMs: null } as const
    this.run({ type: 'settleClaims', claims })
    return leases
  }

  /** Finds all events that a condition matches, page by page as the edge does. */
  find(where: object): number[] {
    const conditions = parseConditions(where)
    if (!conditions.ok) throw new Error(conditions.failure.detail)
    const selection = { conditions: conditions.value, fromMs: null, toMs: null, after: 0, until: null }
    const order = { by: 'sequence', descending: false } as const
    const bounds = { limit: 1_000, maxBytes: MAX_BYTES, maxLooked: MAX_LOOKED }
    const found: number[] = []
    let position: QueryRequest['position'] = null
    let highWatermark: number | null = null
    do {
      const query: QueryRequest = { selection, order, position, highWatermark, ...bounds }
      const page: CommandOut<'query'> = this.run({ type: 'query', query })
      found.push(...page.matches.map(({ key }) => key.sequence))
      position = page.next
      highWatermark = page.highWatermark
    } while (position !== null)
    return found
  }
}
