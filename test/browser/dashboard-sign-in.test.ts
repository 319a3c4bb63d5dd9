import { sign } from 'hono/jwt'
import type { Locator, Page } from 'playwright-core'
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

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement)

/** Presses Tab until the target has the focus, which has to be seen there; a page has no more stops than that. */
async function reachByTab(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; !(await hasFocus(target)); stops++) {
    expect(stops, 'stops before the target').toBeLessThan(60)
    await page.keyboard.press('Tab')
  }
  const outline = 'getComputedStyle(document.activeElement).outlineStyle'
  expect(await page.evaluate(outline), 'the focus is seen').not.toBe('none')
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

inBrowser('a token that no header can hold is said to be that, and is not sent', async () => {
  const [page, complaints] = await open('/dashboard')
  await signIn(page, '“eyJ.eyJ.x”')
  await page.getByRole('alert').getByText('Token: it holds a space or a character beyond ASCII').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await signIn(page, await tokenFor('read'))
  await page.getByRole('link', { name: 'orders' }).waitFor()
  expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
})

inBrowser('a token whose scopes are a list may do what they allow', async () => {
  const [page] = await open('/dashboard/streams/orders/groups/billing')
  await signIn(page, await tokenFor('', { scope: ['read', 'admin'] }))
  await page.getByRole('button', { name: 'Pause group', exact: true }).waitFor()
  await page.getByText('events cannot be appended').waitFor()
})

inBrowser('by keyboard alone one signs in, opens a group, and runs and confirms a replay', async () => {
  const rheo = new Rheo({ url: server.url, token: await tokenFor('append consume read admin') })
  await rheo.streams.create('by-hand')
  await rheo.groups.create('by-hand', 'keys')
  await rheo.append('by-hand', {})
  const { leases } = await rheo.fetch('by-hand', 'keys')
  await rheo.ack(leases[0]!)
  const [page, complaints] = await open('/dashboard')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const { keyboard } = page
  const reach = (target: Locator) => reachByTab(page, target)

  await reach(page.getByLabel('Token'))
  await keyboard.insertText(await tokenFor('read admin'))
  await keyboard.press('Enter')
  await reach(page.getByRole('link', { name: 'by-hand' }))
  await keyboard.press('Enter')
  await reach(page.getByRole('table', { name: 'Groups' }).getByRole('link', { name: 'keys' }))
  await keyboard.press('Enter')
  await reach(page.getByRole('button', { name: 'Replay…' }))
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await reach(dialog.getByLabel('after a sequence'))
  await keyboard.press('ArrowDown')
  await dialog.getByLabel('At or after').waitFor()
  await keyboard.press('ArrowUp')
  await reach(dialog.getByRole('button', { name: 'Dry run' }))
  await keyboard.press('Enter')
  await reach(dialog.getByLabel('Type keys to confirm'))
  expect((await rheo.groups.lag('by-hand', 'keys')).lag).toBe(0)
  await keyboard.type('keys')
  await reach(dialog.getByRole('button', { name: 'Replay 1 event' }))
  await keyboard.press('Enter')
  await page.getByText('Replay opened 1 event again for keys.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  expect(await hasFocus(page.getByRole('button', { name: 'Replay…' }))).toBe(true)
  expect((await rheo.groups.lag('by-hand', 'keys')).lag).toBe(1)
  expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
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
