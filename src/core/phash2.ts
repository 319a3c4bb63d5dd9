/*
 * Erlang's phash2 of a binary: Bob Jenkins' mix over blocks of twelve bytes, started with a constant that ERTS keeps
 * for binaries. test/data/phash2-vectors.json holds it to values from a real Erlang VM.
 */

const GOLDEN_RATIO = 0x9e3779b9
/** 13 times the golden ratio, modulo 2^32: where ERTS starts for a binary, and what an empty one hashes to. */
const BINARY_SEED = 0x08d12e65
const BLOCK_BYTES = 12

const encoder = new TextEncoder()
const scratch = new Uint8Array(384)

/** `erlang:phash2(key, partitionCount)` of the key's UTF-8 bytes: 0 to `partitionCount` - 1. */
export function phash2(key: string, partitionCount: number): number {
  return phash2Bytes(bytesOf(key)) % partitionCount
}

/** The key's UTF-8 bytes. Most keys are short, and an array made for each of them costs more than its hash. */
function bytesOf(key: string): Uint8Array {
  if (3 * key.length > scratch.length) return encoder.encode(key)
  return scratch.subarray(0, encoder.encodeInto(key, scratch).written)
}

/** The 32-bit hash of a binary, before it is taken modulo a range. */
export function phash2Bytes(bytes: Uint8Array): number {
  const length = bytes.length
  if (length === 0) return BINARY_SEED
  let a = GOLDEN_RATIO
  let b = GOLDEN_RATIO
  let c = BINARY_SEED
  // Reading past the end gives undefined, which `|` takes as 0: the tail needs no cases of its own.
  const word = (at: number): number =>
    bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  for (let at = 0; ; at += BLOCK_BYTES) {
    const isTail = length - at < BLOCK_BYTES
    a = (a + word(at)) | 0
    b = (b + word(at + 4)) | 0
    // The lowest byte of the last c is the length's place.
    c = isTail ? (c + (word(at + 8) << 8) + length) | 0 : (c + word(at + 8)) | 0

    a = (a - b - c) ^ (c >>> 13)
    b = (b - c - a) ^ (a << 8)
    c = (c - a - b) ^ (b >>> 13)
    a = (a - b - c) ^ (c >>> 12)
    b = (b - c - a) ^ (a << 16)
    c = (c - a - b) ^ (b >>> 5)
    a = (a - b - c) ^ (c >>> 3)
    b = (b - c - a) ^ (a << 10)
    c = (c - a - b) ^ (b >>> 15)
    if (isTail) return c >>> 0
  }
}
