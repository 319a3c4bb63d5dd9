/** Something typed that cannot be sent; its message says which field and why. */
export class FormError extends Error {}

/** A whole number from 0 on. */
export function wholeOf(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text.trim())) throw new FormError(`${field}: a whole number from 0 on is needed`)
  return Number(text)
}

/** A text that goes into a header: a token or a tenant. */
export function headerOf(field: string, text: string): string {
  if (/^[\x21-\x7e]*$/.test(text.trim())) return text.trim()
  throw new FormError(`${field}: it holds a space or a character beyond ASCII, which cannot be sent`)
}

/** A time of the reader's own zone, as a time for the server. */
export function timeOf(field: string, text: string): string {
  const time = new Date(text)
  if (text === '' || Number.isNaN(time.getTime())) throw new FormError(`${field}: a date and a time are needed`)
  return time.toISOString()
}

/** A JSON object; `{}` when nothing was typed. A number beyond a double is refused: it would be sent as null. */
export function objectOf(field: string, text: string): { [name: string]: unknown } {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text, (name, part) => {
      if (part === Infinity || part === -Infinity)
        throw new FormError(`${field}: the number at ${JSON.stringify(name)} is too large`)
      return part
    })
  } catch (error) {
    if (error instanceof FormError) throw error
    throw new FormError(`${field} is no JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FormError(`${field} has to be a JSON object, such as {"type": "placed"}`)
  }
  return value as { [name: string]: unknown }
}

/** The partitions of `0, 2`; all when nothing is typed. @throws FormError */
export function partitionsOf(text: string): { partitions?: number[] } {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  if (parts.some((part) => !/^\d{1,3}$/.test(part))) throw new FormError('Partitions: numbers with commas between them')
  return parts.length === 0 ? {} : { partitions: [...new Set(parts.map(Number))] }
}
