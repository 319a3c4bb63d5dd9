import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Where the random scripts of this run begin, and how many times as many there are (see test/model/compare.ts). */
const provide = {
  modelSeed: Number(process.env.MODEL_SEED ?? Math.trunc(Math.random() * 2 ** 31)),
  modelFactor: Number(process.env.MODEL_STEPS ?? 1),
}

/** A project whose tests run in Node. */
const node = (name: string, include: string[], timeoutMs = 30_000) => ({
  test: { name, include, environment: 'node', testTimeout: timeoutMs, hookTimeout: 60_000, provide },
})

/** The object classes name a module that only the runtime has; see src/testing/cloudflare-workers.ts. */
const outsideWorkerd = {
  resolve: {
    alias: { 'cloudflare:workers': fileURLToPath(new URL('./src/testing/cloudflare-workers.ts', import.meta.url)) },
  },
}

/**
 * What of the conformance suite does not run in process: files that start servers of their own, and, unless all is asked
 * for (npm run conformance -- --local), those that would make it last longer than a minute.
 */
const elsewhere = ['auth', 'jwks']
const slow = process.env.CONFORMANCE_LOCAL === 'all' ? [] : ['model', 'limits', 'search-paging', 'search-stream']

export default defineConfig({
  test: {
    // Half of the time goes into waiting for servers: two files at a time keep two cores busy.
    maxWorkers: 2,
    projects: [
      node('tidy', ['test/tidy.test.ts', 'test/docs/*drift.test.ts']),
      node(
        'docs',
        ['commands', 'fragments', 'ledger', 'programs'].map((name) => `test/docs/${name}.test.ts`),
        120_000,
      ),
      node('core', ['test/core/**/*.test.ts', 'test/model/**/*.test.ts'], 120_000),
      node('storage', ['test/storage/**/*.test.ts'], 120_000),
      node('http', ['test/http/**/*.test.ts']),
      node('openapi', ['test/openapi/**/*.test.ts'], 60_000),
      {
        test: {
          ...node('conformance', ['test/conformance/**/*.test.ts'], 60_000).test,
          globalSetup: ['test/conformance/setup.ts'],
        },
      },
      {
        ...outsideWorkerd,
        test: {
          ...node('conformance-local', ['test/conformance/**/*.test.ts'], 60_000).test,
          exclude: [...elsewhere, ...slow].map((name) => `test/conformance/${name}.test.ts`),
          globalSetup: ['test/testing/conformance-setup.ts'],
        },
      },
      { ...outsideWorkerd, ...node('testing', ['test/testing/**/*.test.ts']) },
      { ...outsideWorkerd, ...node('cli', ['test/cli/**/*.test.ts'], 60_000) },
      {
        test: {
          ...node('client', ['test/client/**/*.test.ts'], 60_000).test,
          globalSetup: ['test/client/setup.ts'],
        },
      },
      node('dashboard', ['test/dashboard/**/*.test.ts']),
      {
        test: {
          ...node('browser', ['test/browser/**/*.test.ts'], 60_000).test,
          globalSetup: ['test/browser/setup.ts'],
        },
      },
      {
        resolve: { alias: { 'rheo-edge/client': fileURLToPath(new URL('./src/client/index.ts', import.meta.url)) } },
        ...node('examples', ['test/examples/**/*.test.ts'], 60_000),
      },
      { ...outsideWorkerd, ...node('metrics', ['test/metrics/**/*.test.ts', 'test/diagnostics/**/*.test.ts'], 60_000) },
      node('simulation', ['test/simulation/**/*.test.ts'], 240_000),
      node('flood', ['test/flood/**/*.test.ts'], 240_000),
      node('crash', ['test/crash/**/*.test.ts', 'test/history/**/*.test.ts'], 240_000),
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: { name: 'workers', include: ['test/workers/**/*.test.ts'], testTimeout: 60_000, provide },
      },
    ],
  },
})
