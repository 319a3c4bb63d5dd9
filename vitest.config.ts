import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** A project whose tests run in Node. */
const node = (name: string, include: string[], timeoutMs = 30_000) => ({
  test: { name, include, environment: 'node', testTimeout: timeoutMs, hookTimeout: 60_000 },
})

export default defineConfig({
  test: {
    projects: [
      node('tidy', ['test/tidy.test.ts']),
      node('core', ['test/core/**/*.test.ts', 'test/model/**/*.test.ts'], 120_000),
      node('storage', ['test/storage/**/*.test.ts'], 120_000),
      node('http', ['test/http/**/*.test.ts']),
      {
        test: {
          ...node('conformance', ['test/conformance/**/*.test.ts'], 60_000).test,
          globalSetup: ['test/conformance/setup.ts'],
        },
      },
      node('simulation', ['test/simulation/**/*.test.ts'], 240_000),
      node('crash', ['test/crash/**/*.test.ts', 'test/history/**/*.test.ts'], 240_000),
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: { name: 'workers', include: ['test/workers/**/*.test.ts'], testTimeout: 60_000 },
      },
    ],
  },
})
