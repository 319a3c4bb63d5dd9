import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'
import { UsageError } from './usage-error.ts'

/** Asks somebody to type a name before what cannot be undone; `true` when it is to be done. */
export async function confirm(io: Io, isSure: boolean | undefined, what: string, name: string): Promise<boolean> {
  if (isSure) return true
  if (!io.isInteractive) throw new UsageError(`${what}: nobody can be asked here, so it takes --yes`)
  io.err(`${what}. Type ${name} to go on: `)
  const lines = createInterface({ input: io.stdin })
  try {
    for await (const line of lines) {
      if (line.trim() === name) return true
      break
    }
  } finally {
    lines.close()
  }
  io.err('Nothing was done.\n')
  return false
}
