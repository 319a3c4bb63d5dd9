import { failed, failure, ok } from '../../core/failure.ts'
import type { Route } from '../route.ts'

/** Nothing is loaded from elsewhere, run inline, framed or sent by a form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A file of the site. `file` is where it lies; without it, where the request says. */
const page = (path: string, file?: string): Route => ({
  method: 'GET',
  path,
  scope: 'open',
  async respond({ site }, { url }) {
    const { pathname, origin } = new URL(url)
    const found = await site?.fetch(new Request(new URL(file ?? pathname, origin)))
    if (!found?.ok) return failed(failure('not_found', `there is no ${pathname}`, { path: pathname }))
    const answer = new Response(found.body, { headers: { 'Content-Type': found.headers.get('Content-Type') ?? '' } })
    answer.headers.set('Content-Security-Policy', POLICY)
    answer.headers.set('Cross-Origin-Opener-Policy', 'same-origin')
    answer.headers.set('Referrer-Policy', 'no-referrer')
    return ok(answer)
  },
})

/** Where a browser begins. */
const front: Route = {
  method: 'GET',
  path: '/',
  scope: 'open',
  async respond({ site }, { headers }) {
    const isBrowser = headers.get('Accept')?.includes('text/html') ?? false
    if (site === null || !isBrowser) return failed(failure('not_found', 'there is no /', { path: '/' }))
    return ok(new Response(null, { status: 302, headers: { Location: '/dashboard' } }))
  },
}

/** The pages for people and the contract for machines, which need no credentials: they hold nobody's data. */
export const pageRoutes: readonly Route[] = [
  front,
  page('/openapi.json'),
  page('/docs'),
  page('/docs/errors'),
  page('/dashboard'),
  page('/dashboard/*', '/dashboard'),
  page('/assets/*'),
]
