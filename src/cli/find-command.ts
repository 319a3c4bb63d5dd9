import type { ArgsDef } from 'citty'
import { leadingArgs } from './arguments.ts'
import type { Command, CommandGroup } from './command.ts'
import { didYouMean } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** Where a command line leads, and what is left of it: flags that stood before the command, and all behind it. */
export interface Found {
  readonly command: Command | CommandGroup
  readonly path: readonly string[]
  readonly words: readonly string[]
  /** The word that should have named a command, and names none. */
  readonly unknown: string | undefined
}

export const isCommand = (command: Command | CommandGroup): command is Command => 'run' in command

/** Follows the words of a command line to the command they name. Flags of every command may stand anywhere. */
export function findCommand(root: CommandGroup, words: readonly string[]): Found {
  let command: Command | CommandGroup = root
  const path: string[] = []
  const flags: string[] = []
  let index = 0
  let unknown: string | undefined
  for (; index < words.length && !isCommand(command); index += 1) {
    const word = words[index]!
    if (word.startsWith('-')) {
      flags.push(word)
      if (takesValue(word, leadingArgs) && index + 1 < words.length) flags.push(words[++index]!)
      continue
    }
    const next: Command | CommandGroup | undefined = command.commands.find(
      ({ name, alias }) => name === word || alias === word,
    )
    if (next === undefined) {
      unknown = word
      break
    }
    command = next
    path.push(next.name)
  }
  return { command, path, words: [...flags, ...words.slice(index)], unknown }
}

/** The error of a word that should name one of these commands. */
export function unknownCommand({ path, unknown }: Found, { commands }: CommandGroup): UsageError {
  const names = commands.flatMap(({ name, alias }) => (alias === undefined ? name : [name, alias]))
  const hint = didYouMean(unknown!, names)
  return new UsageError(`there is no command ${[...path, unknown].join(' ')}${hint}`)
}

/** Refuses flags that the command does not have: Citty lets them pass. */
export function checkFlags(words: readonly string[], args: ArgsDef): void {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word === '--') return
    if (!word.startsWith('-') || word === '-') continue
    const [name] = word.replace(/^--?/, '').split('=') as [string]
    const definition = args[name]
    const isNegated = name.startsWith('no-') && args[name.slice(3)]?.type === 'boolean'
    const isFlag = word.startsWith('--') && definition !== undefined && definition.type !== 'positional'
    if (!isFlag && !isNegated) {
      const flags = Object.keys(args).filter((flag) => args[flag]!.type !== 'positional')
      const hint = didYouMean(name, flags, '--')
      throw new UsageError(`there is no ${word.split('=')[0]}${hint}`)
    }
    if (takesValue(word, args)) {
      if (index + 1 >= words.length) throw new UsageError(`${word} needs a value`)
      index += 1
    }
  }
}

function takesValue(word: string, args: ArgsDef): boolean {
  if (word.includes('=')) return false
  const type = args[word.replace(/^--/, '')]?.type
  return type === 'string' || type === 'enum'
}
