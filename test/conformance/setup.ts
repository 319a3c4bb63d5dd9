import type { TestProject } from 'vitest/node'

/**
 * Gives the tests their server. `RHEO_URL` names one that runs (with `RHEO_TENANT` and `RHEO_TOKEN`, both
 * optional); without it a server is started here on a store of its own, with the test clock on.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('rheoTenant', process.env.RHEO_TENANT ?? '')
  project.provide('rheoToken', process.env.RHEO_TOKEN ?? '')
  const given = process.env.RHEO_URL ?? ''
  if (given !== '') {
    project.provide('rheoUrl', given)
    return undefined
  }
  const { startLocal } = await import('../../scripts/local.ts')
  const server = await startLocal({ vars: { RHEO_TEST_CLOCK: '1', RHEO_AUTH: 'open' } })
  project.provide('rheoUrl', server.url)
  return () => server.stop()
}
