import type { Io } from './io.ts'
import { DEFAULT_PROFILE, exposureOf, type Profile, profileFields, readProfiles } from './profile.ts'
import { UsageError } from './usage-error.ts'

type Field = (typeof profileFields)[number]

const variables = { url: 'RHEO_URL', token: 'RHEO_TOKEN', tenant: 'RHEO_TENANT', profile: 'RHEO_PROFILE' } as const

/** Where the server is, how it is called, and who said so. */
export interface Settings {
  readonly url: string
  readonly token: string | undefined
  readonly tenant: string | undefined
  /** A sentence for people, such as `url from RHEO_URL`. */
  readonly origin: string
  /** The tenant and who said so, such as `acme, from RHEO_TENANT`, unless the command line did. */
  readonly tenantOrigin: string | undefined
  /** What somebody should know of before anything is sent. */
  readonly warnings: readonly string[]
}

const DEFAULT_URL = 'http://localhost:8787'

/** What counts when nothing is set, or nothing matters. */
export const localSettings: Settings = {
  url: DEFAULT_URL,
  token: undefined,
  tenant: undefined,
  origin: 'nothing is set: the local server',
  tenantOrigin: undefined,
  warnings: [],
}

/**
 * Settles each of url, token and tenant by itself: flags, then the environment, then the profile, then what is local. A
 * profile's token and tenant are for its own server: with a URL of somewhere else they do not count.
 */
export function settingsOf(flags: Readonly<Record<string, unknown>>, env: Io['env']): Settings {
  const flag = (name: string): string | undefined => (flags[name] as string | undefined) || undefined
  const variable = (field: Field): string | undefined => env[variables[field]] || undefined
  const profiles = readProfiles(env)
  const named = flag('profile') ?? (env[variables.profile] || undefined)
  const name = named ?? DEFAULT_PROFILE
  if (named !== undefined && !Object.hasOwn(profiles, named)) {
    throw new UsageError(`there is no profile ${named}; rheo profile list shows them`)
  }
  const profile: Profile = (Object.hasOwn(profiles, name) ? profiles[name] : undefined) ?? {}

  const givenUrl = flag('url') ?? variable('url')
  const url = givenUrl ?? profile.url ?? DEFAULT_URL
  checkUrl(url)
  const isOfProfile = sameServer(url, profile.url ?? DEFAULT_URL)
  const ofProfile = (field: Field) => (field === 'url' || isOfProfile ? profile[field] : undefined)

  const origins: Partial<Record<Field, string>> = {}
  const warnings: string[] = []
  const settle = (field: Field): string | undefined => {
    const value = flag(field) ?? variable(field) ?? ofProfile(field)
    if (value !== undefined) {
      const origin = flag(field) ? `--${field}` : variable(field) ? variables[field] : `profile ${name}`
      origins[field] = origin
    }
    // Whoever names a profile may not think of what the shell still holds.
    const isOverruled = flag('profile') !== undefined && !flag(field) && variable(field) !== undefined
    if (isOverruled && profile[field] !== undefined && profile[field] !== variable(field)) {
      warnings.push(`warning: ${variables[field]} counts before the ${field} of the profile ${name}`)
    }
    return value
  }
  const [, token, tenant] = profileFields.map(settle)
  const exposure = exposureOf(env, profiles)
  if (exposure !== undefined) warnings.push(exposure)
  const told = Object.entries(origins).map(([field, from]) => `${field} from ${from}`)
  const origin = told.join(', ') || localSettings.origin
  const tenantOrigin = flag('tenant') || tenant === undefined ? undefined : `${tenant}, from ${origins.tenant}`
  return { url, token, tenant, origin, tenantOrigin, warnings }
}

/** Refuses what is no URL of a server. */
export function checkUrl(url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${url} is no http or https URL`)
  }
  if (/\/v1\/*$/.test(new URL(url).pathname)) throw new UsageError(`${url}: give the URL without /v1`)
}

const sameServer = (one: string, other: string): boolean =>
  URL.canParse(other) && new URL(one).origin === new URL(other).origin
