import { describe, expect, it } from 'vitest'
import { buildFilter, mayHold } from '../../src/core/query/filter.ts'

/** Distinct 32-bit numbers: a multiplication by an odd number is one to one. */
const termAt = (n: number): number => Math.imul(n, 0x9e3779b1) >>> 0
const terms = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, n) => termAt(n))

describe('a filter', () => {
  it.each([0, 1, 50, 1_000, 20_000])('of %d terms holds them all and lets few others through', (count) => {
    const filter = buildFilter(terms(count))
    for (let n = 0; n < count; n++) expect(mayHold(filter, termAt(n))).toBe(true)
    let through = 0
    for (let n = count; n < count + 10_000; n++) if (mayHold(filter, termAt(n))) through += 1
    expect(through).toBeLessThanOrEqual(200)
  })

  it('is as large as the distinct terms ask for, and the same whether they come once or many times', () => {
    const once = terms(1_000)
    const often = Uint32Array.from({ length: 100_000 }, (_, n) => once[n % 1_000]!)
    expect(buildFilter(once).length).toBe(2_048)
    expect(buildFilter(often)).toEqual(buildFilter(once))
  })

  it('of two million terms, as one hostile batch can bring, fits into a row and holds them all', () => {
    const filter = buildFilter(terms(2_000_000))
    expect(filter.length).toBeLessThanOrEqual(1_048_576)
    for (let n = 0; n < 2_000_000; n += 97) expect(mayHold(filter, termAt(n))).toBe(true)
  })
})
