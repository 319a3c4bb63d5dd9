import type { Terminal, Typed } from './terminal.ts'

/** A command of a page with the answer that the page shows. */
export interface Shown {
  command: string
  answer: string
}

/** What is typed and shown in a `console` block. */
export function shownIn(text: string): Shown[] {
  const parts = text.split(/^\$ /m)
  if (parts[0] !== '') throw new Error(`a console block begins with "$ ": ${parts[0]}`)
  return parts.slice(1).map((part) => {
    const end = part.search(/(?<!\\)\n/)
    return { command: part.slice(0, end), answer: part.slice(end + 1) }
  })
}

const generated = /\bevt_[0-9a-v]{16}_\d+_\d+|\b\d+\.\d+\.[-\w]{22}/g

/** Generated ids of a page, and what they are in this run. */
export class Names {
  readonly #actual = new Map<string, string>()

  learn(page: string, actual: string): void {
    const ours = actual.match(generated) ?? []
    for (const [index, id] of (page.match(generated) ?? []).entries()) {
      if (ours[index] !== undefined) this.#actual.set(id, ours[index])
    }
  }

  actual(text: string): string {
    return text.replace(generated, (id) => this.#actual.get(id) ?? id)
  }
}

/** Hides what differs from run to run: ids, where the service is, how long it took; with `figures` every number. */
export function normalized(text: string, note: string): string {
  const stable = text
    .replace(generated, 'ID')
    .replace(/\bin \d+ ms/g, 'in n ms')
    .replace(/ +$/gm, '')
  return note === 'figures' ? stable.replace(/\d[\d.]*/g, 'n').replace(/ +/g, ' ') : stable
}

/** Enters a command of a page: `rheo …`, maybe with `printf '…' |` in front. Gives all that it shows, in this order. */
export async function enter(terminal: Terminal, command: string, typed: Typed): Promise<string> {
  const [, stdin, line] = /^(?:printf '(.*)' \| )?rheo ([\s\S]*)$/.exec(command) ?? []
  if (line === undefined) throw new Error(`nothing is known of ${command}`)
  const words = wordsOf(line.replaceAll('\\\n', ' '))
  let shown = ''
  const show = (text: string): void => {
    shown += text
  }
  const input = (stdin ?? '').replaceAll('\\n', '\n')
  await terminal.rheo(words, { ...typed, stdin: input, onOut: show, onErr: show })
  return shown
}

/** Splits as a shell does, of which it knows blanks and quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  )
