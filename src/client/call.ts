import { errorOf } from './errors.ts'
import type { CallOptions, Request, Safety, Send } from './request.ts'

/** The parts of a path behind `/v1`, each as it is meant: encoding them is not the caller's business. */
export type Path = readonly string[]

/** The path of something of a group. */
export const ofGroup = (stream: string, group: string, ...rest: Path): Path => [
  'streams',
  stream,
  'groups',
  group,
  ...rest,
]

/**
 * Sends a call whose options are its fields: those of every call apart, they are the query of a GET or DELETE and the
 * body of a POST or PATCH. What is undefined is left out.
 */
export async function call<T, F extends CallOptions = CallOptions>(
  send: Send,
  method: Request['method'],
  path: Path,
  safety: Safety,
  options?: F,
): Promise<T> {
  const { signal, timeoutMs, ...fields }: CallOptions = options ?? {}
  const request = { method, path: pathText(path), safety, signal, timeoutMs }
  if (method === 'GET' || method === 'DELETE') return send({ ...request, query: fields })
  return send({ ...request, body: JSON.stringify(fields), waitMs: (fields as { waitMs?: number }).waitMs ?? 0 })
}

/**
 * A name that a URL would swallow (empty, `.`, `..`) is refused here: it would otherwise address something else, and a
 * delete its parent.
 */
export const pathText = (path: Path): string => ['/v1', ...path.map(segment)].join('/')

function segment(name: string): string {
  try {
    if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name)
  } catch {
    // A lone surrogate has no encoding.
  }
  throw errorOf('invalid_name', { detail: `${JSON.stringify(name)} cannot stand in a path`, data: {} })
}
