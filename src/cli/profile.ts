import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { parseJson } from './arguments.ts'
import type { Io } from './io.ts'
import { UsageError } from './usage-error.ts'

/** Where a server is and how it is called, under a name. */
export interface Profile {
  readonly url?: string
  readonly token?: string
  readonly tenant?: string
}

export type Profiles = Readonly<Record<string, Profile>>

export const profileFields = ['url', 'token', 'tenant'] as const

/** The profile that counts when none is named. */
export const DEFAULT_PROFILE = 'default'

/** Where profiles are kept: below `XDG_CONFIG_HOME`, or `~/.config`. */
export function profileFile(env: Io['env']): string {
  const { XDG_CONFIG_HOME: base = '', HOME: home = homedir() } = env
  return path.join(path.isAbsolute(base) ? base : path.join(home, '.config'), 'rheo', 'config.json')
}

/** All profiles by name; none when there is no file. */
export function readProfiles(env: Io['env']): Profiles {
  const file = profileFile(env)
  if (!existsSync(file)) return {}
  const config = parseJson(readFileSync(file, 'utf8'))
  const profiles = isObject(config) ? config.profiles : undefined
  if (!isObject(profiles)) throw new UsageError(`${file} is no JSON object with profiles`)
  for (const [name, profile] of Object.entries(profiles)) {
    const wrong = isObject(profile) ? Object.entries(profile).find(([, value]) => typeof value !== 'string') : ['it']
    if (wrong !== undefined) throw new UsageError(`${file}: ${wrong[0]} of the profile ${name} is not what it must be`)
  }
  return profiles as Profiles
}

/** Writes all profiles, for their owner alone. A crash leaves the file as it was. */
export function writeProfiles(env: Io['env'], profiles: Profiles): void {
  const file = profileFile(env)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 })
  // A mode counts only for a file that was not there.
  chmodSync(fresh, 0o600)
  renameSync(fresh, file)
}

/** A sentence when tokens lie where others can read them. Windows tells no such thing by modes. */
export function exposureOf(env: Io['env'], profiles: Profiles): string | undefined {
  const file = profileFile(env)
  const holdsToken = Object.values(profiles).some(({ token }) => token !== undefined)
  if (!holdsToken || process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return undefined
  return `warning: ${file} holds a token and is open to others; chmod 600 ${file}`
}

/** Enough of a token to know it by, and too little to use it. */
export const maskedToken = (token: string): string =>
  `${token.length < 32 ? '' : token.slice(0, 4)}… (${token.length} characters)`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
