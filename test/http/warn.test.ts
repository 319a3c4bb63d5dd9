import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'

let warn: MockInstance<typeof console.warn>
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  // What has been warned of is remembered by the isolate, which each test is here.
  vi.resetModules()
})
afterEach(() => warn.mockRestore())

/** What an isolate warns of that gets three requests. */
async function warnings(vars: EdgeVars): Promise<string[]> {
  const { sendTo } = await import('./send.ts')
  const send = sendTo(new FakeBackend(), vars)
  for (let turn = 0; turn < 3; turn++) await send('GET', '/v1/capabilities')
  return warn.mock.calls.map(([text]) => String(text))
}

it('RHEO_AUTH=open is warned about once in an isolate', async () => {
  expect(await warnings({ RHEO_AUTH: 'open' })).toEqual([expect.stringContaining('RHEO_AUTH is open')])
})

it('API Headers: RHEO_TEST_CLOCK=1 is warned about once in an isolate', async () => {
  const told = await warnings({ RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })
  expect(told).toHaveLength(2)
  expect(told[1]).toContain('RHEO_TEST_CLOCK is 1')
})

it('a deployment as wrangler.toml has it warns of nothing', async () => {
  expect(await warnings({ RHEO_AUTH: 'token', RHEO_JWT_SECRET: 's'.repeat(32) })).toEqual([])
})
