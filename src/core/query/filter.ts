/**
 * Bloom filters over terms. Ten bits a term and seven of them set let one absent term in about a hundred through.
 */
const BITS_PER_TERM = 10
const BITS_SET = 7
const MIN_BITS = 512
/** One mebibyte: the platform keeps no value beyond 2 MB. With more terms than it has room for, a filter lets more through. */
const MAX_BITS = 8_388_608

/** A filter that says "perhaps" for each of the terms. */
export function buildFilter(terms: ReadonlySet<number>): Uint8Array {
  const wanted = 2 ** Math.ceil(Math.log2(terms.size * BITS_PER_TERM || 1))
  const bits = Math.min(Math.max(MIN_BITS, wanted), MAX_BITS)
  const filter = new Uint8Array(bits / 8)
  for (const term of terms) {
    for (let n = 0, at = term; n < BITS_SET; n++, at = (at + step(term)) >>> 0) {
      const bit = at & (bits - 1)
      filter[bit >>> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** Whether a term may be among those that a filter was built of. */
export function mayHold(filter: Uint8Array, term: number): boolean {
  const bits = filter.length * 8
  for (let n = 0, at = term; n < BITS_SET; n++, at = (at + step(term)) >>> 0) {
    const bit = at & (bits - 1)
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** A second hash of the term, odd so that its multiples reach every bit. */
function step(term: number): number {
  const mixed = Math.imul(term ^ (term >>> 15), 0x2c1b3c6d)
  return ((mixed ^ (mixed >>> 12)) | 1) >>> 0
}

/** A filter that says "perhaps" for every term. */
export const passesAll = (): Uint8Array => new Uint8Array(MIN_BITS / 8).fill(255)
