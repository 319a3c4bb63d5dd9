import { spawn } from 'node:child_process'
import { ack, type HandlerContext, type Outcome, retry } from '../client/index.ts'

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  onOutput(text: string): void
  onError(text: string): void
}

/**
 * Runs a shell command with the event as a line of JSON on its stdin. When the lease is lost it is ended: its work would
 * be done by somebody else as well.
 */
export function runForEvent(command: string, context: HandlerContext, options: RunOptions): Promise<Outcome> {
  const { lease, attempt, signal } = context
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      // A process group of its own: Ctrl-C at the terminal is for the consumer, which lets the command end.
      detached: true,
      env: {
        ...options.env,
        RHEO_STREAM: lease.stream,
        RHEO_GROUP: lease.group,
        RHEO_EVENT_ID: lease.eventId,
        RHEO_ATTEMPT: String(attempt),
      },
    })
    const onAbort = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      } catch {
        // It has just ended by itself.
      }
    }
    signal.addEventListener('abort', onAbort, { once: true })
    child.stdout.setEncoding('utf8').on('data', options.onOutput)
    child.stderr.setEncoding('utf8').on('data', options.onError)
    // A command that does not read its stdin to the end is none of our business.
    child.stdin.on('error', () => {})
    child.stdin.end(`${JSON.stringify(lease.event)}\n`)
    child.on('error', reject)
    child.on('close', (code, by) => {
      signal.removeEventListener('abort', onAbort)
      if (code === 0) resolve(ack)
      else resolve(retry(code === null ? `ended by ${by}` : `exit code ${code}`))
    })
  })
}
