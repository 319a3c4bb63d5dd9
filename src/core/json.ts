export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Equality of JSON values, whatever the order of members. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => equalJson(value, b[index]!))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name]!, b[name]!))
  )
}

/**
 * Looks through a parsed value: `too deep` when it nests deeper than `levels` (a flat object or array is one level),
 * `not finite` when it holds a number beyond the doubles, null when it is sound.
 */
export function faultOf(value: unknown, levels: number): 'too deep' | 'not finite' | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'not finite'
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return 'too deep'
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    const fault = faultOf(inner, levels - 1)
    if (fault !== null) return fault
  }
  return null
}

const encoder = new TextEncoder()

/** Whether a text takes more than `limit` bytes of UTF-8; encodes only when its length leaves that open. */
export const exceedsBytes = (text: string, limit: number): boolean =>
  text.length > limit || (text.length * 3 > limit && encoder.encode(text).length > limit)

/** Whether a text holds half of a surrogate pair alone, which UTF-8 cannot carry. */
export const hasLoneSurrogate = (text: string): boolean => !text.isWellFormed()

/** Texts with a comma between any two. `join` would copy twice what has been put together of pieces itself. */
export function joined(texts: Iterable<string>): string {
  let all = ''
  for (const text of texts) all += all === '' ? text : `,${text}`
  return all
}
