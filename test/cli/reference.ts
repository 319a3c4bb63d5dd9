import type { ArgsDef } from 'citty'
import { argsOf, connectionArgs } from '../../src/cli/arguments.ts'
import type { Command, CommandGroup } from '../../src/cli/command.ts'
import { rheo } from '../../src/cli/commands/rheo.ts'
import { isCommand } from '../../src/cli/find-command.ts'

/** All commands, each by the words that lead to it. */
export const commands: readonly (readonly [path: string, command: Command])[] = below(rheo, '')

function below(one: Command | CommandGroup, path: string): [string, Command][] {
  return isCommand(one) ? [[path, one]] : one.commands.flatMap((child) => below(child, `${path} ${child.name}`.trim()))
}

/** What docs/reference/cli.md says of every command, as Markdown, made from their definitions. */
export const reference = (): string => commands.map(sectionOf).join('\n')

function sectionOf([path, command]: readonly [string, Command]): string {
  const args = argsOf(command)
  const positional = Object.entries(args).filter(([, one]) => one.type === 'positional')
  const words = positional.map(([name, one]) => (one.required === false ? `[${name}]` : `<${name}>`))
  const usage = ['rheo', path, ...words, ...(command.rest === undefined ? [] : [`[${command.rest}]…`])].join(' ')
  const examples = command.examples.map((line) => `rheo ${line}\n`).join('')
  return `### \`${usage}\`\n\n${command.description}.\n\n${flagsOf(args)}\`\`\`sh\n${examples}\`\`\`\n`
}

/** The flags that a command has for itself. */
function flagsOf(args: ArgsDef): string {
  const rows = Object.entries(args)
    .filter(([name, { type }]) => type !== 'positional' && !(name in connectionArgs && args[name] === shared[name]))
    .map(([name, one]) => [`\`--${name}${hintOf(one)}\``, escaped(`${one.description}`)] as const)
  if (rows.length === 0) return ''
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length), 4))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |\n`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return `${line(['flag', 'what'])}${rule}${rows.map(line).join('')}\n`
}

const shared: ArgsDef = connectionArgs

function hintOf(one: ArgsDef[string]): string {
  if (one.type === 'boolean') return ''
  const hint = one.type === 'enum' ? one.options?.join('|') : 'valueHint' in one ? one.valueHint : undefined
  return escaped(` ${hint ?? 'value'}`)
}

const escaped = (text: string): string => text.replaceAll('|', '\\|')
