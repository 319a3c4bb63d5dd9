import { Readable } from 'node:stream'
import { run } from '../../src/cli/run.ts'
import type { Rheo } from '../../src/client/index.ts'
import { type Local, startLocal } from '../../src/testing/index.ts'

/** What a command line did. */
export interface Done {
  code: number
  out: string
  err: string
}

export interface Typed {
  /** What is on stdin. */
  stdin?: string
  /** Somebody sits there, and types what is on stdin. */
  isInteractive?: boolean
  env?: Record<string, string>
  /** Sees what is printed, as it is. */
  onOut?: (text: string) => void
  /** Sees what is said on stderr, as it is. */
  onErr?: (text: string) => void
}

/** A service whose clock stands still, and a terminal in front of it. */
export interface Terminal {
  local: Local
  client: Rheo
  /** Runs a command line; words split at blanks unless given one by one. */
  rheo(line: string | readonly string[], typed?: Typed): Promise<Done>
  /** Presses Ctrl-C. */
  interrupt(): void
}

export const noon = '2026-03-15T12:00:00.000Z'

export async function openTerminal(vars: Record<string, string> = {}): Promise<Terminal> {
  const local = await startLocal({ now: noon, vars })
  const listeners = new Set<() => void>()
  return {
    local,
    client: local.rheo(),
    interrupt: () => {
      for (const listener of [...listeners]) listener()
    },
    async rheo(line, { stdin = '', isInteractive = false, env = {}, onOut, onErr } = {}) {
      const done: Done = { code: 0, out: '', err: '' }
      done.code = await run(typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line, {
        // Nobody's own profiles play a part.
        env: { PATH: process.env.PATH, XDG_CONFIG_HOME: '/nowhere', RHEO_URL: local.url, ...env },
        stdin: Readable.from(stdin === '' ? [] : [stdin]),
        isInteractive,
        fetch: async (url, init) => {
          // As over a network, others have their turn meanwhile.
          await new Promise((resolve) => setImmediate(resolve))
          return local.fetch(url, init)
        },
        out: async (text) => {
          done.out += text
          onOut?.(text)
        },
        err: (text) => {
          done.err += text
          onErr?.(text)
        },
        onInterrupt(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      })
      return done
    },
  }
}

/** Hides what is new with each run: generated ids and leases, and spaces that only align. */
export const masked = (text: string): string =>
  text
    .replace(/\b[0-9a-v]{16}[-.\w]*/g, 'ID')
    .replace(/\b\d+\.\d+\.[-\w]{22}/g, 'LEASE')
    .replace(/ +$/gm, '')
