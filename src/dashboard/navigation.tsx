import type { ComponentChildren } from 'preact'
import { parseRoute, pathOf, type Route } from './route.ts'
import { Store } from './store.ts'

const here = (): string => window.location.pathname + window.location.search

/** The address shown: path and query. */
export const address = new Store(here())

window.addEventListener('popstate', () => address.set(here()))

export function routeOf(text: string): Route {
  const [path = '', query = ''] = text.split('?')
  return parseRoute(path, query)
}

export function navigate(route: Route): void {
  const path = pathOf(route)
  if (path === here()) return
  const isElsewhere = path.split('?')[0] !== window.location.pathname
  window.history.pushState(null, '', path)
  address.set(path)
  if (isElsewhere) window.scrollTo(0, 0)
}

interface LinkProps {
  readonly to: Route
  readonly class?: string
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link within the dashboard: a real one, so that it opens in a new tab too. */
export const Link = ({ to, children, ...rest }: LinkProps) => (
  <a
    {...rest}
    href={pathOf(to)}
    onClick={(event: MouseEvent) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      navigate(to)
    }}
  >
    {children}
  </a>
)
