import { errorOf } from './errors.ts'

/**
 * A path with its names encoded. A name that a URL would swallow (empty, `.`, `..`) is refused here: it would otherwise
 * address something else, and a delete its parent.
 *
 * @example path`/v1/streams/${stream}/events`
 */
export function path(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts.reduce((before, part, index) => before + segment(names[index - 1]!) + part)
}

function segment(name: string): string {
  try {
    if (name !== '' && name !== '.' && name !== '..') return encodeURIComponent(name)
  } catch {
    // A lone surrogate has no encoding.
  }
  throw errorOf('invalid_name', { detail: `${JSON.stringify(name)} cannot stand in a path`, data: {} })
}
