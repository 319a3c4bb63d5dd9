/**
 * Bloom filters over terms. Ten bits a term and seven of them set let one absent term in about a hundred through.
 */
const BITS_PER_TERM = 10
const BITS_SET = 7
const MIN_BITS = 512
/** One mebibyte: the platform keeps no value beyond 2 MB. With more terms than it has room for, a filter lets more through. */
const MAX_BITS = 8_388_608

/**
 * A filter that says "perhaps" for each of the terms, of which many may be the same. It is built for as many as are
 * given, and then folded to the size for those that differ: a bit of the half is set where one of its two was.
 */
export function buildFilter(terms: Uint32Array): Uint8Array {
  const filter = new Uint8Array(bitsFor(terms.length) / 8)
  const mask = filter.length * 8 - 1
  for (const term of terms) {
    const by = step(term)
    for (let n = 0, at = term; n < BITS_SET; n++, at += by) filter[(at & mask) >>> 3]! |= 1 << (at & 7)
  }
  let folded = filter
  for (const bits = bitsFor(distinctIn(filter)); folded.length * 8 > bits; ) {
    const half = folded.length / 2
    for (let at = 0; at < half; at++) folded[at]! |= folded[half + at]!
    folded = folded.subarray(0, half)
  }
  return folded.slice()
}

/** How many bits a filter of so many distinct terms has. */
function bitsFor(terms: number): number {
  const wanted = 2 ** Math.ceil(Math.log2(terms * BITS_PER_TERM || 1))
  return Math.min(Math.max(MIN_BITS, wanted), MAX_BITS)
}

/** How many distinct terms have set the bits of a filter, about. */
function distinctIn(filter: Uint8Array): number {
  let set = 0
  for (const word of new Uint32Array(filter.buffer, filter.byteOffset, filter.length / 4)) set += bitsSetIn(word)
  const bits = filter.length * 8
  return (-bits / BITS_SET) * Math.log(1 - set / bits)
}

/** Added up in pairs, in fours, in bytes, and all bytes by one multiplication. */
function bitsSetIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
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
