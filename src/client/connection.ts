import { type Clock, systemClock } from './clock.ts'
import { type Endpoint, exchange } from './exchange.ts'
import type { Fetch, RheoOptions } from './options.ts'
import type { Send } from './request.ts'
import { exchangeRetrying } from './retry.ts'

/** A server as the SDK knows it: how to reach it, and under which name. */
export interface Connection {
  /** Makes a call, and makes it again where that is safe. */
  readonly send: Send
  /** Makes one try of a call, for those who know better when to try again. */
  readonly once: Send
  readonly endpoint: Endpoint
  readonly clock: Clock
  /** Names server and tenant within this process; null when that cannot be told, as for a service binding. */
  readonly identity: string | null
}

/** The connection of each client, for what is no method of it: a bundle without that does not pay for it. */
export const connections = new WeakMap<object, Connection>()

/** A server that runs open answers to loopback names only, over a service binding, too. */
const BINDING_URL = 'http://localhost'

/** Resolves the options of a client once. */
export function connect(options: RheoOptions): Connection {
  const { url, token, tenant, headers = {}, timeoutMs = 30_000, retry = {}, clock = systemClock } = options
  if (url === undefined && options.fetch === undefined) throw new TypeError('Rheo: needs a url, or a fetch')
  // Looked up with each call, so that what replaces the global one later counts, and called as a plain function.
  const fetch: Fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init))
  const endpoint: Endpoint = {
    url: (url ?? BINDING_URL).replace(/\/+$/, ''),
    fetch,
    timeoutMs,
    clock,
    async headers() {
      const bearer = typeof token === 'function' ? await token() : token
      return {
        ...headers,
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(tenant === undefined ? {} : { 'Rheo-Tenant': tenant }),
      }
    },
  }
  const retryOptions = retry === false ? { attempts: 1 } : retry
  return {
    send: (request) => exchangeRetrying(endpoint, request, retryOptions),
    once: (request) => exchange(endpoint, request),
    endpoint,
    clock,
    identity: identityOf(options),
  }
}

function identityOf({ url, token, tenant }: RheoOptions): string | null {
  if (url === undefined || (tenant === undefined && typeof token === 'function')) return null
  const owner = tenant ?? (token === undefined ? 'default' : tenantOf(token as string))
  return JSON.stringify([new URL(url).href.replace(/\/+$/, ''), owner])
}

/** The tenant that a token names, read and not checked; the token itself when it cannot be read. */
function tenantOf(token: string): string {
  try {
    const claims: unknown = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')))
    const { tenant } = claims as { tenant?: unknown }
    return typeof tenant === 'string' ? tenant : token
  } catch {
    return token
  }
}
