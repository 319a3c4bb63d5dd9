import type { Where } from '../client/index.ts'
import { jsonObject, parseJson } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** Flags and arguments that select events. */
export const whereArgs = {
  where: { type: 'string', description: 'Conditions as JSON, such as {"total":{"gte":10}}', valueHint: 'JSON' },
  from: { type: 'string', description: 'Not before this time', valueHint: 'time' },
  to: { type: 'string', description: 'Not after this time', valueHint: 'time' },
  'after-sequence': { type: 'string', description: 'Behind this sequence', valueHint: 'n' },
  'until-sequence': { type: 'string', description: 'Up to this sequence', valueHint: 'n' },
} as const

/** Fields that hold text whatever it looks like. */
const textFields = new Set([
  ...['type', 'key', 'event.id', 'event.type', 'event.key', 'event.timestamp'],
  ...['correlation_id', 'causation_id', 'producer', 'schema', 'schema_version'],
])

/**
 * Conditions from JSON and from pairs `field=value`. The value of a pair is JSON where it can be (`10`, `true`, `null`),
 * else a text; `"10"` in quotes is one, too.
 */
export function whereOf(json: string | undefined, pairs: readonly string[]): Where | undefined {
  const where: Record<string, unknown> = { ...jsonObject('--where', json) }
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`${pair} is no condition such as type=placed; others go into --where`)
    const field = pair.slice(0, at)
    if (Object.hasOwn(where, field)) throw new UsageError(`there are two conditions for ${field}`)
    const text = pair.slice(at + 1)
    const value = textFields.has(field) ? text : parseJson(text)
    const isPlain = value !== undefined && (typeof value !== 'object' || value === null)
    Object.defineProperty(where, field, { value: isPlain ? value : text, enumerable: true })
  }
  return Object.keys(where).length === 0 ? undefined : (where as Where)
}
