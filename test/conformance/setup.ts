import type { TestProject } from 'vitest/node'
import type { ContractDocument } from './contract.ts'

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
    project.provide('contract', await contractOf(given))
    return undefined
  }
  const { startLocal } = await import('../../scripts/local.ts')
  const server = await startLocal({ pages: true, vars: { RHEO_TEST_CLOCK: '1', RHEO_AUTH: 'open' } })
  project.provide('rheoUrl', server.url)
  project.provide('contract', await contractOf(server.url))
  return () => server.stop()
}

/** The contract that a server tells of itself; null where it has no pages. */
async function contractOf(url: string): Promise<ContractDocument | null> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}/openapi.json`)
  return answer.ok ? ((await answer.json()) as ContractDocument) : null
}
