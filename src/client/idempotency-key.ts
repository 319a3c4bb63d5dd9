/**
 * Makes idempotency keys that no other client makes: 128 random bits, drawn with the first key, and a count. Not
 * drawn earlier, because Workers have no randomness before their first request; not `randomUUID`, because browsers
 * have that on secure pages only.
 */
export function idempotencyKeys(): () => string {
  let prefix = ''
  let count = 0
  return () => {
    prefix ||= crypto.getRandomValues(new Uint32Array(4)).join('-')
    count += 1
    return `${prefix}-${count}`
  }
}
