/** What a path of the dashboard shows. */
export type Route =
  | { readonly view: 'streams'; readonly after?: string }
  | { readonly view: 'stream'; readonly stream: string; readonly where?: string }
  | { readonly view: 'event'; readonly stream: string; readonly event: string; readonly partition?: number }
  | { readonly view: 'group'; readonly stream: string; readonly group: string }
  | { readonly view: 'deadLetters'; readonly stream: string; readonly group: string; readonly after?: string }
  | { readonly view: 'unknown' }

const ROOT = '/dashboard'

/** The route of an address: its path, and its query with the question mark or empty. */
export function parseRoute(path: string, search: string): Route {
  const parts = decode(path)
  const query = new URLSearchParams(search)
  if (parts === null || parts[0] !== 'dashboard') return { view: 'unknown' }
  const [, streams, stream, kind, name, last] = parts
  if (streams === undefined) return { view: 'streams', ...text(query, 'after') }
  if (streams !== 'streams' || stream === undefined || parts.length > 6) return { view: 'unknown' }
  if (kind === undefined) return { view: 'stream', stream, ...text(query, 'where') }
  if (name === undefined) return { view: 'unknown' }
  if (kind === 'events' && last === undefined)
    return { view: 'event', stream, event: name, ...count(query, 'partition') }
  if (kind !== 'groups') return { view: 'unknown' }
  if (last === undefined) return { view: 'group', stream, group: name }
  return last === 'dead-letters'
    ? { view: 'deadLetters', stream, group: name, ...text(query, 'after') }
    : { view: 'unknown' }
}

/** The address of a route. Names stand in it encoded, so that any id can. */
export function pathOf(route: Route): string {
  if (route.view === 'unknown') return ROOT
  if (route.view === 'streams') return ROOT + queryOf(route, 'after')
  const stream = `${ROOT}/streams/${encodeURIComponent(route.stream)}`
  if (route.view === 'stream') return stream + queryOf(route, 'where')
  if (route.view === 'event') return `${stream}/events/${encodeURIComponent(route.event)}${queryOf(route, 'partition')}`
  const group = `${stream}/groups/${encodeURIComponent(route.group)}`
  return route.view === 'group' ? group : `${group}/dead-letters${queryOf(route, 'after')}`
}

function decode(path: string): string[] | null {
  try {
    return path.split('/').slice(1).map(decodeURIComponent).filter(Boolean)
  } catch {
    return null
  }
}

function text<N extends string>(query: URLSearchParams, name: N): { [K in N]?: string } {
  const value = query.get(name)
  return (value ? { [name]: value } : {}) as { [K in N]?: string }
}

function count<N extends string>(query: URLSearchParams, name: N): { [K in N]?: number } {
  const value = query.get(name) ?? ''
  return (/^\d{1,9}$/.test(value) ? { [name]: Number(value) } : {}) as { [K in N]?: number }
}

function queryOf(route: object, ...names: string[]): string {
  const values = route as Record<string, unknown>
  const given = names.filter((name) => values[name] !== undefined).map((name) => [name, String(values[name])])
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`
}

/** What a page is called. */
export function titleOf(route: Route): string {
  switch (route.view) {
    case 'streams':
      return 'Streams'
    case 'stream':
      return route.stream
    case 'event':
      return `Event ${route.event}`
    case 'group':
      return `${route.group} of ${route.stream}`
    case 'deadLetters':
      return `Dead letters of ${route.group}`
    case 'unknown':
      return 'Nothing here'
  }
}
