import type { TestProject } from 'vitest/node'
import { openapi } from '../../src/reference/openapi.ts'
import { startLocal } from '../../src/testing/index.ts'
import type {} from '../conformance/target.ts'
import { serve } from './serve.ts'

/** Gives the conformance suite the service that `rheo-edge/testing` runs in this process. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serve(await startLocal())
  project.provide('rheoUrl', url)
  project.provide('rheoTenant', '')
  project.provide('rheoToken', '')
  project.provide('contract', openapi())
  return stop
}
