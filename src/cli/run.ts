import { stripVTControlCharacters } from 'node:util'
import { type ArgsDef, parseArgs, renderUsage } from 'citty'
import { Rheo } from '../client/index.ts'
import { version } from '../version.ts'
import { argsOf, leadingArgs } from './arguments.ts'
import type { Command, CommandGroup, Context } from './command.ts'
import { rheo } from './commands/rheo.ts'
import { failureOf, isUnanswered, lineOf } from './failure.ts'
import { checkFlags, type Found, findCommand, isCommand, unknownCommand } from './find-command.ts'
import type { Io } from './io.ts'
import { localSettings, type Settings, settingsOf } from './settings.ts'
import { UsageError } from './usage-error.ts'

/** Runs a command line and gives its exit code: 0 when all is well, 1 for a failure, 2 for a wrong command line. */
export async function run(words: readonly string[], io: Io): Promise<number> {
  const found = findCommand(rheo, words[0] === 'help' ? words.slice(1) : words)
  const { command, unknown } = found
  const asksForHelp =
    words[0] === 'help' || unknown === 'help' || found.words.includes('--help') || found.words.includes('-h')
  const wantsJson = found.words.includes('--json')
  let settings = localSettings
  try {
    if (!isCommand(command) && unknown !== undefined && unknown !== 'help') throw unknownCommand(found, command)
    if (asksForHelp) {
      await io.out(await helpOf(found))
      return 0
    }
    if (isCommand(command)) {
      const parsed = parsedOf(command, found.words)
      if ('profile' in argsOf(command)) settings = settingsOf(parsed, io.env)
      return (await command.run(contextOf(command, parsed, settings, io))) ?? 0
    }
    checkFlags(found.words, leadingArgs)
    if (found.words.includes('--version')) {
      await io.out(`${version}\n`)
      return 0
    }
    io.err(`which command?\n\n${await helpOf(found)}`)
    return 2
  } catch (error) {
    if (isUsage(error)) {
      io.err(`${error.message}\n\nSee: ${['rheo', ...found.path].join(' ')} --help\n`)
      return 2
    }
    io.err(`${wantsJson ? JSON.stringify(failureOf(error, settings.url)) : explained(error, settings)}\n`)
    return 1
  }
}

type Given = { readonly _: readonly string[] } & Readonly<Record<string, string | boolean | undefined>>

/** What a command line gives for the flags and arguments of its command. */
function parsedOf(command: Command, words: readonly string[]): Given {
  const args = argsOf(command)
  checkFlags(words, args)
  return parseArgs([...words], args) as Given
}

function contextOf(command: Command, parsed: Given, settings: Settings, io: Io): Context<ArgsDef> {
  const named = Object.values(command.args).filter(({ type }) => type === 'positional').length
  const rest = parsed._.slice(named)
  if (rest.length > 0 && command.rest === undefined) throw new UsageError(`${rest[0]} is one argument too many`)
  const json = parsed.json === true
  const { warnings, ...connection } = settings
  const { url, token, tenant } = connection
  if (!json) for (const warning of warnings) io.err(`${warning}\n`)
  return {
    ...connection,
    args: parsed as Context<ArgsDef>['args'],
    rest,
    json,
    io,
    rheo: new Rheo({ url, fetch: io.fetch, token, tenant }),
    print: (answer, human) => io.out(json ? `${JSON.stringify(answer)}\n` : human()),
    explain: (error) => lineOf(failureOf(error, url)),
  }
}

/** Citty's errors, which it does not export, are about the command line. */
const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError || (error instanceof Error && error.name === 'CLIError')

/** A failure as people read it, with what may have led to it; the code stands first. */
function explained(error: unknown, { url, tenantOrigin }: Settings): string {
  const failure = failureOf(error, url)
  if (isUnanswered(error)) return `${lineOf(failure)}; rheo doctor says more`
  const isElsewhere = failure.code === 'stream_not_found' && tenantOrigin !== undefined
  return isElsewhere ? `${lineOf(failure)}; the tenant is ${tenantOrigin}` : lineOf(failure)
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
