import type { TestProject } from 'vitest/node'
import { startLocal } from '../../scripts/local.ts'

declare module 'vitest' {
  interface ProvidedContext {
    clientServerUrl: string
  }
}

/** One server for the tests of the SDK, on a store of its own, with the test clock on. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startLocal({ vars: { RHEO_TEST_CLOCK: '1' } })
  project.provide('clientServerUrl', server.url)
  return () => server.stop()
}
