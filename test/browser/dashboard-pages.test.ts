import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { inBrowser, url } from './browser.ts'
import { accessibilityFaults, everyPage, populate, ready, sideways, world } from './dashboard.ts'

const hostile = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>'

describe('every page', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    inBrowser(`is free of faults that axe finds, in ${colorScheme}, and the browser complains of nothing`, async () => {
      const own = world()
      await populate(own)
      for (const path of everyPage) {
        const [page, complaints] = await own.open(path, { colorScheme, viewport: { width: 1280, height: 900 } })
        await ready(page)
        expect(await accessibilityFaults(page), path).toEqual([])
        expect(complaints, path).toEqual([])
        await page.context().close()
      }
    })
  }

  inBrowser('fits a phone without scrolling sideways, and is free of faults there', async () => {
    const own = world()
    await populate(
      own,
      'a reason that is so long that it cannot stand in one line of a phone, and_a_word_without_any_space_in_it_that_could_not_be_broken',
    )
    for (const path of everyPage) {
      const [page] = await own.open(path, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
      await ready(page)
      expect(await sideways(page), path).toBeLessThanOrEqual(0)
      expect(await accessibilityFaults(page), path).toEqual([])
      await page.context().close()
    }
  })

  inBrowser('fits a narrow screen also where names are as long as can be', async () => {
    const own = world()
    const name = 'n'.repeat(128)
    await own.rheo.streams.create(name)
    await own.rheo.groups.create(name, name)
    await own.rheo.append(name, { id: 'first', key: name })
    const { leases } = await own.rheo.fetch(name, name, { consumerId: name })
    await own.rheo.reject(leases[0]!, { reason: name })
    const stream = `/dashboard/streams/${name}`
    const group = `${stream}/groups/${name}`
    for (const path of ['/dashboard', stream, `${stream}/events/first`, group, `${group}/dead-letters`]) {
      for (const width of [320, 768]) {
        const [page] = await own.open(path, { viewport: { width, height: 740 } })
        await ready(page)
        expect(await sideways(page), `${path} at ${width}`).toBeLessThanOrEqual(0)
        await page.context().close()
      }
    }
  })

  inBrowser('shows what events, keys, reasons and consumers hold as text, also where it is HTML', async () => {
    const own = world()
    await populate(own, hostile)
    for (const path of [...everyPage, `/dashboard/streams/${encodeURIComponent(hostile)}`]) {
      const [page, complaints] = await own.open(path)
      await ready(page)
      expect(await page.locator('#dashboard img, #dashboard script').count(), path).toBe(0)
      expect(await page.evaluate('globalThis.hit'), path).toBeUndefined()
      if (path !== '/dashboard')
        await page
          .getByText('onerror="globalThis.hit=1"')
          .or(page.getByText('onerror=\\"globalThis.hit=1\\"'))
          .first()
          .waitFor()
      expect(
        complaints.filter((text) => !text.includes('status of 400')),
        path,
      ).toEqual([])
      await page.context().close()
    }
  })

  inBrowser('has nothing inline, and less than 40 kB of script with gzip', async () => {
    const html = await (await fetch(`${url}/dashboard/streams/orders`)).text()
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?![^>]* src=)/)
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path]) => path!)
    expect(scripts.length).toBeGreaterThan(0)
    let total = 0
    for (const path of scripts) {
      const text = await (await fetch(url + path)).text()
      const loadsMore = /\b(?:from|import)\s*\(?\s*["'`][./]/.test(text)
      expect(loadsMore, `${path} loads more, which has to be counted too`).toBe(false)
      total += gzipSync(text).length
    }
    expect(total).toBeLessThan(40_000)
  })
})

describe('a dialog', () => {
  inBrowser('is closed by Escape, and the focus returns to what opened it', async () => {
    const own = world()
    await populate(own)
    const [page] = await own.open('/dashboard/streams/orders/groups/billing')
    for (const name of ['Replay…', 'Reset…', 'Delete group…']) {
      const button = page.getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      expect(await accessibilityFaults(page), name).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await button.evaluate((element) => element === element.ownerDocument.activeElement), name).toBe(true)
    }
  })
})

describe('a dry run', () => {
  for (const { open, call, done, told } of [
    { open: 'Replay…', call: '**/replay', done: 'Replay 1 event', told: ['0', '1', '1', '1'] },
    { open: 'Reset…', call: '**/lag', done: 'Reset billing', told: ['0', '1', '1'] },
  ]) {
    inBrowser(
      `of ${open} is left out when the form is changed meanwhile, and another can be made at once`,
      async () => {
        const { rheo, open: openPage } = world()
        await rheo.streams.create('orders')
        await rheo.groups.create('orders', 'billing')
        await rheo.appendMany('orders', [{}, {}])
        const { leases } = await rheo.fetch('orders', 'billing', { limit: 2 })
        await rheo.ackMany({ stream: 'orders', group: 'billing' }, leases)
        const [page] = await openPage('/dashboard/streams/orders/groups/billing')
        await page.getByRole('button', { name: open }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('after a sequence').check()
        const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
        const asked = page.waitForRequest(call)
        await page.route(call, async (route) => {
          await answered
          // What was given up meanwhile cannot go on.
          await route.continue().catch(() => {})
        })
        await dialog.getByRole('button', { name: 'Dry run' }).click()
        await asked
        await dialog.getByLabel('After sequence').fill('1')
        answer()
        await dialog.getByRole('button', { name: 'Dry run' }).click()
        await dialog.getByRole('button', { name: done }).waitFor()
        expect(await dialog.locator('tbody').locator('th, td').allTextContents()).toEqual(told)
      },
    )
  }
})

describe('a tenant', () => {
  inBrowser('that no header can hold is said to be that, and nothing is switched', async () => {
    const own = world()
    await populate(own)
    const [page, complaints] = await own.open('/dashboard', { viewport: { width: 360, height: 740 } })
    await ready(page)
    const tenant = page.getByLabel('Tenant')
    await tenant.fill('ácme')
    await page.keyboard.press('Enter')
    const alert = page.getByRole('alert').getByText('Tenant: it holds a space or a character beyond ASCII')
    await alert.waitFor()
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.getByRole('link', { name: 'orders' }).waitFor()
    await tenant.fill(own.tenant)
    await page.keyboard.press('Enter')
    await alert.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'orders' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('a change of address', () => {
  inBrowser('gives the page its title, moves the focus to its heading, and can be gone back from', async () => {
    const own = world()
    await populate(own)
    const [page] = await own.open('/dashboard')
    await page.getByRole('link', { name: 'orders' }).click()
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
    await expect.poll(() => page.title()).toBe('orders · Rheo Edge')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.getByRole('link', { name: 'later' }).click()
    await expect.poll(() => page.title()).toBe('later of orders · Rheo Edge')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor()
    await expect.poll(() => page.title()).toBe('Streams · Rheo Edge')
  })
})
