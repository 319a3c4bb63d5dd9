import { inject } from 'vitest'
import type { ContractDocument } from './contract.ts'
import { randomName } from './random.ts'

declare module 'vitest' {
  interface ProvidedContext {
    rheoUrl: string
    rheoTenant: string
    rheoToken: string
    contract: ContractDocument | null
  }
}

const givenTenant = inject('rheoTenant')

/** The server under test, without a trailing slash. */
export const url = inject('rheoUrl').replace(/\/+$/, '')

/** The OpenAPI document of the server, or null where it serves none. */
export const contract = inject('contract')

/** The bearer token given for the run, or an empty string. */
export const token = inject('rheoToken')

/** The tenant of this test file: the given one, else a new one, so that the suite can run where data is. */
export const tenant = givenTenant === '' ? randomName('conformance') : givenTenant

/** True when tests may make up tenants: the run fixes neither a tenant nor a token. */
export const tenantsAreFree = givenTenant === '' && token === ''
