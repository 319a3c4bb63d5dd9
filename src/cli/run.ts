import { stripVTControlCharacters } from 'node:util'
import { type ArgsDef, parseArgs, renderUsage } from 'citty'
import { Rheo, RheoError } from '../client/index.ts'
import { version } from '../version.ts'
import { argsOf } from './arguments.ts'
import type { Command, CommandGroup, Context } from './command.ts'
import { rheo } from './commands/rheo.ts'
import { checkFlags, type Found, findCommand, isCommand } from './find-command.ts'
import type { Io } from './io.ts'
import { localSettings, settingsOf } from './settings.ts'
import { UsageError } from './usage-error.ts'

/** Runs a command line and gives its exit code: 0 when all is well, 1 for a failure, 2 for a wrong command line. */
export async function run(words: readonly string[], io: Io): Promise<number> {
  const found = findCommand(rheo, words)
  const wantsJson = found.words.includes('--json')
  try {
    if (found.words.includes('--help') || found.words.includes('-h')) {
      await io.out(await helpOf(found))
      return 0
    }
    if (words.length === 1 && words[0] === '--version') {
      await io.out(`${version}\n`)
      return 0
    }
    if (!isCommand(found.command)) {
      const [word] = found.words
      throw new UsageError(
        word === undefined ? 'which command?' : `there is no command ${[...found.path, word].join(' ')}`,
      )
    }
    return (await found.command.run(contextOf(found.command, found.words, io))) ?? 0
  } catch (error) {
    if (isUsage(error)) {
      io.err(`${error.message}\n\nSee: ${['rheo', ...found.path].join(' ')} --help\n`)
      return 2
    }
    io.err(wantsJson ? `${JSON.stringify(problemOf(error))}\n` : `${textOf(error)}\n`)
    return 1
  }
}

function contextOf(command: Command, words: readonly string[], io: Io): Context<ArgsDef> {
  const args = argsOf(command)
  checkFlags(words, args)
  const parsed = parseArgs([...words], args) as { _: string[] } & Record<string, string | boolean | undefined>
  const named = Object.values(args).filter(({ type }) => type === 'positional').length
  const rest = parsed._.slice(named)
  if (rest.length > 0 && command.rest === undefined) throw new UsageError(`${rest[0]} is one argument too many`)
  const json = parsed.json === true
  const { url, token, tenant, origin, warnings } = command.isOffline ? localSettings : settingsOf(parsed, io.env)
  if (!json) for (const warning of warnings) io.err(`${warning}\n`)
  return {
    args: parsed as Context<ArgsDef>['args'],
    rest,
    url,
    tenant,
    token,
    origin,
    json,
    io,
    rheo: new Rheo({ url, fetch: io.fetch, token, tenant }),
    print: (answer, human) => io.out(json ? `${JSON.stringify(answer)}\n` : human()),
  }
}

/** Citty's errors, which it does not export, are about the command line. */
const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError || (error instanceof Error && error.name === 'CLIError')

function problemOf(error: unknown): object {
  if (error instanceof RheoError) return { code: error.code, detail: error.detail, ...error.data }
  return { code: 'failed', detail: error instanceof Error ? error.message : String(error) }
}

/** A failure as people read it; the code stands first. */
function textOf(error: unknown): string {
  if (error instanceof RheoError) return error.message
  return `failed: ${error instanceof Error ? error.message : String(error)}`
}

async function helpOf({ command, path }: Found): Promise<string> {
  const name = ['rheo', ...path].join(' ')
  const { description } = command
  const usage = await (isCommand(command)
    ? renderUsage({ meta: { name, description }, args: argsOf(command) })
    : renderUsage({ meta: { name, description }, subCommands: Object.fromEntries(command.commands.map(listed)) }))
  const parts = [stripVTControlCharacters(usage).replace(/ +$/gm, '').trimEnd()]
  if (isCommand(command)) {
    if (command.rest !== undefined) parts.push(`And any number of: ${command.rest}`)
    parts.push(`EXAMPLES\n\n${command.examples.map((line) => `  rheo ${line}`).join('\n')}`)
  } else parts.push(footer)
  return `${parts.join('\n\n')}\n`
}

const footer = `Every command that calls a server takes --url, --token, --tenant, --profile and --json. Without them RHEO_URL,
RHEO_TOKEN and RHEO_TENANT count, then the profile, then http://localhost:8787.
Exit codes: 0 done, 1 failure, 2 wrong command line. Failures stand on stderr, their code first.`

const listed = (one: Command | CommandGroup) =>
  [one.name, { meta: { description: one.description }, args: {} }] as const
