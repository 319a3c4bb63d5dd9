import type { DatabaseSync } from 'node:sqlite'

/** Node's SQLite, or an error that says which Node has it. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync
  } catch (cause) {
    const running = `this is ${typeof process === 'undefined' ? 'no Node' : `Node ${process.versions.node}`}`
    throw new Error(`startLocal needs node:sqlite, which comes with Node 22.13 and later; ${running}`, { cause })
  }
}
