import { inject } from 'vitest'
import { Rheo, type RheoOptions } from '../../src/client/index.ts'

/** The server under the SDK's tests. */
export const url = inject('clientServerUrl')

let count = 0

/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => `${prefix}-${process.pid}-${Date.now().toString(36)}-${++count}`

/** A client with a tenant of its own. */
export const newClient = (options: RheoOptions = {}): Rheo =>
  new Rheo({ url, tenant: uniqueName('client'), ...options })
