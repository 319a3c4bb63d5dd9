import { sign } from 'hono/jwt'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { Rheo } from '../../src/client/index.ts'
import { inBrowser, openPage } from './browser.ts'
import { accessibilityFaults } from './dashboard.ts'

const secret = 'a secret of the tests, long enough for HS256'
let server: Local

beforeAll(async () => {
  if (inject('chromium') === null) return
  server = await startLocal({ pages: true, vars: { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret } })
  const rheo = new Rheo({ url: server.url, token: await tokenFor('append consume read admin') })
  await rheo.streams.create('orders')
  await rheo.streams.create('secrets')
  await rheo.groups.create('orders', 'billing')
  await rheo.append('orders', { payload: { order: 'A-1' } })
})
afterAll(() => server?.stop())

const tokenFor = (scope: string, claims: object = {}): Promise<string> =>
  sign({ tenant: 'acme', scope, exp: Math.floor(Date.now() / 1000) + 600, ...claims }, secret)

const open = (path: string) => openPage(path, { baseURL: server.url })

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Where a page keeps things, but for the session. */
const kept = (page: Page) => page.evaluate('JSON.stringify([location.href, { ...localStorage }, document.cookie])')

inBrowser(
  'whoever has no token is asked for one, which stays in the tab alone and is gone after signing out',
  async () => {
    const [page] = await open('/dashboard/streams/orders')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const token = await tokenFor('append read admin')
    await signIn(page, `Bearer ${token} `)
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
    await page.getByText('Tenant acme').waitFor()
    expect(await kept(page)).not.toContain(token)
    expect(await page.content()).not.toContain(token)

    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
    const other = await page.context().newPage()
    await other.goto('/dashboard')
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(await kept(page)).not.toContain(token)
  },
)

inBrowser('a token that is wrong or has expired is said to be, and another can be given', async () => {
  const [page] = await open('/dashboard')
  await signIn(page, 'nonsense')
  await page.getByText('Your token is not accepted:').waitFor()
  await signIn(page, await tokenFor('read', { exp: 1_000_000_000 }))
  await page.getByText(/expired/).waitFor()
  await signIn(page, await tokenFor('read'))
  await page.getByRole('link', { name: 'orders' }).waitFor()
})

inBrowser('a token that ends while it is used leads back to signing in, and then to where one was', async () => {
  const [page] = await open('/dashboard/streams/orders')
  await signIn(page, await tokenFor('read', { exp: Math.floor(Date.now() / 1000) + 3 }))
  await page.getByText('Your token is not accepted:').waitFor({ timeout: 20_000 })
  await signIn(page, await tokenFor('read'))
  await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
})

inBrowser('a token for reading shows everything, and what it may not do is disabled and says why', async () => {
  const [page, complaints] = await open('about:blank')
  await page.goto('/dashboard/streams/orders')
  await signIn(page, await tokenFor('read'))
  await page.getByText('nothing can be created, paused, replayed, redriven or deleted').waitFor()
  const append = page.getByRole('button', { name: 'Append event… (needs a token with the scope append)' })
  await append.waitFor()
  expect(await append.isDisabled()).toBe(true)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'billing' }).click()
  for (const name of ['Pause group', 'Replay…', 'Reset…', 'Delete group…']) {
    expect(await page.getByRole('button', { name: `${name} (needs a token with the scope admin)` }).isDisabled()).toBe(
      true,
    )
  }
  expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
})

inBrowser('a token that may not read, or not this stream, is told so in the view', async () => {
  const [page] = await open('/dashboard')
  await signIn(page, await tokenFor('append'))
  await page.getByText('Your token does not allow this:').first().waitFor()
  await page.getByText('nothing can be shown').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, await tokenFor('read', { streams: ['orders'] }))
  await page.getByRole('link', { name: 'orders' }).waitFor()
  expect(await page.getByRole('link', { name: 'secrets' }).count()).toBe(0)
  await page.goto('/dashboard/streams/secrets')
  await page.getByText('Your token does not allow this:').first().waitFor()
})
