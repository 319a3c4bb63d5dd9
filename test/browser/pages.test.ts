import { expect } from 'vitest'
import { inBrowser, openPage } from './browser.ts'

inBrowser('the dashboard is served at every path below it, and loads nothing from elsewhere', async () => {
  const [page, complaints] = await openPage('/dashboard/nothing/here')
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor()
  expect(complaints).toEqual([])
})
