import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Rheo } from '../client/index.ts'
import type { Scope } from './session.ts'
import { Store } from './store.ts'

/** What a view reads and acts with. */
export interface Access {
  readonly rheo: Rheo
  /** Whether the token has a scope, as far as can be told. */
  may(scope: Scope): boolean
  readonly hasToken: boolean
}

export const AccessContext = createContext<Access | null>(null)

export const useAccess = (): Access => useContext(AccessContext)!

/** Why the server took the token for no good one; null while it has not. */
export const refused = new Store<string | null>(null)

/** The last thing that was done, for the line that tells it. */
export const said = new Store('')
