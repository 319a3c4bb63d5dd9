import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, inject, test } from 'vitest'

/** The server under the tests of the pages. */
export const url = inject('siteUrl')

const executablePath = inject('chromium')

/** A test in a browser; left out where there is none, which in CI is refused at the start. */
export const inBrowser = test.skipIf(executablePath === null)

let browser: Promise<Browser> | undefined

afterAll(async () => (await browser)?.close())

/** A page in a session of its own. Whatever the browser complains of lands in `complaints`. */
export async function openPage(path: string, options: BrowserContextOptions = {}): Promise<[Page, string[]]> {
  browser ??= chromium.launch({
    executablePath: executablePath!,
    // As root there is no sandbox; the rest keeps Chromium from asking Google for anything.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  const context = await (await browser).newContext({ baseURL: url, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`)
  })
  await page.goto(path)
  return [page, complaints]
}
