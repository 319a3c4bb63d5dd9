import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { startLocal } from '../../scripts/local.ts'

declare module 'vitest' {
  interface ProvidedContext {
    siteUrl: string
    chromium: string | null
  }
}

/** Where Debian and others put it; CHROMIUM names another place. */
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** One server with its pages, and the browser of this machine. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = places.find((place) => place !== undefined && existsSync(place)) ?? null
  if (chromium === null && process.env.CI) throw new Error('there is no Chromium; install the package chromium')
  if (chromium === null) console.warn('There is no Chromium on this machine: tests in a browser are left out.')
  const server = await startLocal({ pages: true, vars: { RHEO_TEST_CLOCK: '1' } })
  project.provide('siteUrl', server.url)
  project.provide('chromium', chromium)
  return () => server.stop()
}
