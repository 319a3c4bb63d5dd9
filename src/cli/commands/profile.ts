import { createInterface } from 'node:readline'
import { given } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import type { Io } from '../io.ts'
import { DEFAULT_PROFILE, maskedToken, type Profile, profileFile, readProfiles, writeProfiles } from '../profile.ts'
import { checkUrl } from '../settings.ts'
import { list, tableOr } from '../table.ts'
import { UsageError } from '../usage-error.ts'

const nameArg = { type: 'positional', description: 'Name of the profile; default is the one without a name' } as const

const set = command({
  name: 'set',
  description: 'Save a server under a name; what is not given stays as it is',
  isOffline: true,
  args: {
    name: nameArg,
    url: { type: 'string', description: 'Where the server is', valueHint: 'URL' },
    token: { type: 'string', description: 'The bearer token; - reads it from stdin', valueHint: 'JWT' },
    tenant: { type: 'string', description: 'The tenant, where the server runs open', valueHint: 'name' },
  },
  examples: [
    'profile set acme --url http://localhost:8787 --tenant acme',
    'profile set production --url https://rheo.example.com --token - < token.txt',
  ],
  async run({ args: { name, url, token, tenant }, io, print }) {
    const changes: Profile = given({ url, token: token === '-' ? await firstLine(io) : token, tenant }) as Profile
    if (Object.keys(changes).length === 0) throw new UsageError('nothing to save: --url, --token or --tenant')
    if (Object.values(changes).includes('')) throw new UsageError('there is an empty value')
    if (url !== undefined) checkUrl(url)
    const profiles = readProfiles(io.env)
    const profile = { ...(Object.hasOwn(profiles, name) ? profiles[name] : {}), ...changes }
    writeProfiles(io.env, Object.fromEntries([...Object.entries(profiles), [name, profile]]))
    await print(shown(name, profile), () => `saved ${name} in ${profileFile(io.env)}\n`)
    return 0
  },
})

const listProfiles = command({
  name: 'list',
  description: 'List profiles',
  isOffline: true,
  args: {},
  examples: ['profile list'],
  async run({ io, print }) {
    const profiles = Object.entries(readProfiles(io.env)).map(([name, profile]) => shown(name, profile))
    const rows = profiles.map(({ name, url, tenant, token }) => [name, url, tenant, token])
    await print({ profiles }, () => tableOr('no profiles', ['NAME', 'URL', 'TENANT', 'TOKEN'], rows))
    return 0
  },
})

const show = command({
  name: 'show',
  description: 'Show a profile, its token only in part',
  isOffline: true,
  args: { name: nameArg },
  examples: ['profile show production'],
  async run({ args: { name }, io, print }) {
    const one = shown(name, existing(io, name))
    const entries = [
      ['name', one.name],
      ['url', one.url],
      ['tenant', one.tenant],
      ['token', one.token],
      ['file', profileFile(io.env)],
    ] as const
    await print(one, () => list(entries))
    return 0
  },
})

const remove = command({
  name: 'remove',
  alias: 'delete',
  description: 'Forget a profile',
  isOffline: true,
  args: { name: nameArg },
  examples: ['profile remove production'],
  async run({ args: { name }, io, print }) {
    existing(io, name)
    const others = Object.entries(readProfiles(io.env)).filter(([other]) => other !== name)
    writeProfiles(io.env, Object.fromEntries(others))
    await print({ removed: name }, () => `removed ${name}\n`)
    return 0
  },
})

function existing(io: Io, name: string): Profile {
  const profiles = readProfiles(io.env)
  if (Object.hasOwn(profiles, name)) return profiles[name]!
  throw new Error(`there is no profile ${name} in ${profileFile(io.env)}`)
}

/** A profile as it may be seen. */
const shown = (name: string, { url, token, tenant }: Profile) => ({
  name,
  url: url ?? null,
  tenant: tenant ?? null,
  token: token === undefined ? null : maskedToken(token),
})

async function firstLine({ stdin }: Io): Promise<string> {
  const lines = createInterface({ input: stdin })
  try {
    for await (const line of lines) return line.trim()
    return ''
  } finally {
    lines.close()
  }
}

export const profile: CommandGroup = {
  name: 'profile',
  alias: 'profiles',
  description: `Save servers and tokens under names; ${DEFAULT_PROFILE} is used when none is named`,
  commands: [set, listProfiles, show, remove],
}
