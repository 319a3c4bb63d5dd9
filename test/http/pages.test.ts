import { describe, expect, it } from 'vitest'
import { FakeBackend } from './fake-backend.ts'
import { sendTo } from './send.ts'

const files: Record<string, string> = {
  '/dashboard': 'text/html',
  '/docs': 'text/html',
  '/assets/a.js': 'text/javascript',
}

/** Static assets with a few files; they would let caches keep them. */
const site = {
  async fetch({ url }: Request) {
    const type = files[new URL(url).pathname]
    if (type === undefined) return new Response('nothing', { status: 404 })
    return new Response(url, { headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=9' } })
  },
}

/** Whoever calls has no token. */
const send = sendTo(new FakeBackend(), { RHEO_AUTH: 'token' }, [], site)

describe('Pages', () => {
  it.each(Object.entries(files))('%s is served without a token', async (path, type) => {
    const answer = await send('GET', path)
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, type])
  })

  it('carry a policy that lets nothing in from elsewhere, run inline, or frame them', async () => {
    const { headers } = await send('GET', '/dashboard')
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('Content-Security-Policy')).not.toContain('unsafe')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it('the dashboard answers at every path below it, and with any query', async () => {
    expect((await send('GET', '/dashboard/streams/orders?group=billing')).text).toBe('http://localhost/dashboard')
  })

  it('the root leads browsers to the dashboard, and is nothing for others', async () => {
    const browser = await send('GET', '/', { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect([browser.status, browser.headers.get('Location')]).toEqual([302, '/dashboard'])
    expect((await send('GET', '/', { headers: { Accept: '*/*' } })).body.code).toBe('not_found')
  })

  it('a page that is not there is not_found, as are all where none were built', async () => {
    const missing = [await send('GET', '/assets/b.js'), await sendTo(new FakeBackend())('GET', '/docs')]
    expect(missing.map(({ status, body }) => [status, body.code, body.path])).toEqual([
      [404, 'not_found', '/assets/b.js'],
      [404, 'not_found', '/docs'],
    ])
  })

  it('take GET and HEAD alone', async () => {
    expect((await send('HEAD', '/docs')).status).toBe(200)
    const posted = await send('POST', '/docs')
    expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })
})
