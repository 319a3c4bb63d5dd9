import * as v from 'valibot'
import { hasLoneSurrogate, isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { parseTime } from '../../core/time.ts'
import type { Schema } from './check.ts'

/** An object with these members and no other. An array, which Valibot takes for an object, is none. */
export const object = <const T extends v.ObjectEntries>(entries: T) =>
  v.pipe(v.custom<object>(isObject, 'must be an object'), v.strictObject(entries))

/** A whole number of a range. */
export function integer(min: number, max: number) {
  const rule = `must be an integer from ${min} to ${max}`
  return v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(min, rule), v.maxValue(max, rule))
}

/** A number of a range. */
export function decimal(min: number, max: number) {
  const rule = `must be a number from ${min} to ${max}`
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule))
}

/** Any whole number that a double holds exactly. Whether there is such a partition is asked when the stream is known. */
export const partition = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'))

/** A position in a partition, 0 before its first event. */
export const sequence = integer(0, Number.MAX_SAFE_INTEGER)

/** A text of bounded length that UTF-8 can carry. */
export function text(min: number, max: number) {
  const rule = `must be a string of ${min} to ${max} characters without lone surrogates`
  return v.pipe(
    v.string(rule),
    v.minLength(min, rule),
    v.maxLength(max, rule),
    v.check((value) => !hasLoneSurrogate(value), rule),
  )
}

export const boolean = v.boolean('must be true or false')

/** An RFC 3339 time, as milliseconds since 1970. */
export const time = v.pipe(
  v.custom<string>(
    (value) => typeof value === 'string' && parseTime(value) !== null,
    'must be an RFC 3339 time, such as 2026-03-15T12:00:00.000Z',
  ),
  v.transform((value) => parseTime(value)!),
)

/** A list; its length is looked at before any of its items, of which a body could hold millions. */
export function list<T>(item: Schema<T>, min: number, max: number) {
  const isSized = (value: unknown): boolean => Array.isArray(value) && value.length >= min && value.length <= max
  return v.pipe(v.custom<unknown[]>(isSized, `must be a list of ${min} to ${max}`), v.array(item))
}

export const consumerId = text(1, limits.consumerIdLength)

/** A query parameter that holds a whole number. */
export const parameter = <T>(value: Schema<T>) =>
  v.pipe(
    v.string(),
    v.regex(/^-?\d{1,16}$/, 'must be an integer'),
    v.transform(Number),
    value as v.GenericSchema<number, T>,
  )

/** The size of a page. */
export const pageLimit = (otherwise: number) => v.optional(parameter(integer(1, limits.pageItems)), `${otherwise}`)
