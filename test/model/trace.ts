import type { Call } from './calls.ts'
import { contents } from './commands.ts'
import { equal } from './equal.ts'

const MAX_TEXT = 2_000

/** What has been played so far, so that a failure can be read from its beginning. */
export class Trace {
  readonly #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
  }

  /** Holds an answer against the one that the model gives. */
  hold(asked: () => string, expected: unknown, actual: unknown): void {
    if (equal(expected, actual)) return
    this.fail(`${asked()}\nmust answer ${JSON.stringify(expected)}\nanswers     ${JSON.stringify(actual)}`)
  }

  fail(what: string): never {
    throw new Error(`${what}\nafter\n${this.#lines.map((line, index) => `${index + 1}. ${line}`).join('\n')}`)
  }
}

/** Contents by their number, and no more than can be read. */
export function textOf({ type, ...input }: Call): string {
  const text = JSON.stringify(input, (name, value) => (name === 'content' ? contents.indexOf(value) : value))
  return `${type} ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} … (${text.length} characters)` : text}`
}
