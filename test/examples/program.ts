import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An example that runs as a process of its own, as a reader would start it. */
export class Program {
  readonly output: string[] = []
  readonly #child: ChildProcess
  readonly #closed: Promise<number | null>
  #onLine: () => void = () => {}

  /** `command` is started in the root of the project, with these variables beside those of this process. */
  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    this.#child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        this.output.push(line)
        this.#onLine()
      })
    }
    this.#closed = once(this.#child, 'close').then(([code]) => code)
  }

  /** Starts an example in TypeScript. */
  static node(example: string, env: Record<string, string>): Program {
    return new Program(process.execPath, ['--import', './test/examples/sdk.ts', `examples/${example}`], env)
  }

  /** Resolves when so many lines hold the text. */
  async printed(text: string, times = 1): Promise<void> {
    const hasPrinted = () => this.output.filter((line) => line.includes(text)).length >= times
    const printing = new Promise<void>((resolve) => {
      this.#onLine = () => hasPrinted() && resolve()
      this.#onLine()
    })
    const ending = this.#closed.then(() => {
      if (!hasPrinted()) throw new Error(`it ended without "${text}":\n${this.output.join('\n')}`)
    })
    await Promise.race([printing, ending])
  }

  /** Sends a signal, if there is one, and gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.#child.kill(signal)
    return this.#closed
  }
}
