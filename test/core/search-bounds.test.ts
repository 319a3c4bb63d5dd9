import { describe, expect, it } from 'vitest'
import type { QueryPage, QueryRequest } from '../../src/core/partition/commands.ts'
import { parseConditions } from '../../src/core/query/condition.ts'
import type { Key } from '../../src/core/query/query.ts'
import { everything } from '../../src/core/query/query.ts'
import { termsOf } from '../../src/core/query/terms.ts'
import { NOW_MS, Partition } from './open-partition.ts'

function conditions(where: object) {
  const parsed = parseConditions(where)
  if (!parsed.ok) throw new Error(parsed.failure.detail)
  return parsed.value
}

const request = (more: Partial<QueryRequest>): QueryRequest => ({
  selection: everything,
  order: { by: 'sequence', descending: false },
  position: null,
  highWatermark: null,
  limit: 100,
  maxBytes: 1_000_000,
  maxLooked: 1_000_000,
  ...more,
})

describe('a page of a search is bounded', () => {
  it.each([false, true])(
    'S6.5 in the order of time by what it looks at, also when nothing matches (descending: %s)',
    (descending) => {
      const partition = new Partition()
      for (let minute = 0; minute < 20; minute++) {
        partition.nowMs = NOW_MS + minute * 60_000
        partition.append(5_000)
      }
      const selection = { ...everything, conditions: conditions({ 'payload.n': { gt: 5 } }) }
      const order = { by: 'timestamp', descending } as const
      let position: Key | null = null
      let pages = 0
      do {
        const page: QueryPage = partition.run({
          type: 'query',
          query: request({ selection, order, position, maxLooked: 100_000 }),
        })
        expect(page.matches).toEqual([])
        position = page.next
        pages += 1
      } while (position !== null && pages < 100)
      expect(position).toBe(null)
      expect(pages).toBeGreaterThan(5)
    },
  )

  it('an event larger than the share of its partition comes as a place to be read', () => {
    const partition = new Partition()
    const line = `{"type":null,"key":null,"payload":{"a":"${'x'.repeat(500)}"},"metadata":{}}`
    partition.append(2, { lines: [line, line].join('\n') })
    for (const by of ['sequence', 'timestamp'] as const) {
      const order = { by, descending: false }
      const page = partition.run({ type: 'query', query: request({ order, maxBytes: 100 }) })
      expect(page.matches.map(({ key, event }) => [key.sequence, event])).toEqual([[1, null]])
      const rest = partition.run({ type: 'query', query: request({ order, maxBytes: 100, position: page.next }) })
      expect(rest.matches.map(({ key, event }) => [key.sequence, event])).toEqual([[2, null]])
    }
  })

  it('an append of hundreds of thousands of terms can still be searched', () => {
    const partition = new Partition()
    const others = Array.from({ length: 300_000 }, (_, index) => index)
    const terms = Uint32Array.from([...others, ...termsOf(null, null, { n: 1 }, {})])
    partition.append(1, { terms })
    partition.append(1)
    const selection = { ...everything, conditions: conditions({ n: 1 }) }
    const page = partition.run({ type: 'query', query: request({ selection }) })
    expect(page.matches.map(({ key }) => key.sequence)).toEqual([1, 2])
  })
})
