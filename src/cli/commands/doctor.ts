import { RheoError } from '../../client/index.ts'
import { command } from '../command.ts'
import { table } from '../table.ts'

interface Check {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** What to do about a failure that a wrong setup has. */
const hints: Readonly<Record<string, string>> = {
  backend_unavailable: 'is the server running, and is the URL right? Locally: npm run dev',
  not_found: 'the URL leads to something that is no Rheo server',
  unauthenticated: 'set RHEO_TOKEN; rheo token create signs one',
  forbidden: 'the token is for another tenant: leave RHEO_TENANT out',
}

export const doctor = command({
  name: 'doctor',
  description: 'Try the server, and say what is wrong',
  args: {},
  examples: ['doctor', 'doctor --url https://rheo.example.com'],
  async run({ rheo, url, origin, print, explain }) {
    const checks: Check[] = [{ check: 'settings', ok: true, detail: `${url}; ${origin}` }]
    const attempt = async (check: string, work: () => Promise<string>): Promise<boolean> => {
      try {
        checks.push({ check, ok: true, detail: await work() })
        return true
      } catch (error) {
        const hint = error instanceof RheoError ? hints[error.code] : undefined
        const message = explain(error)
        checks.push({ check, ok: false, detail: hint === undefined ? message : `${message}; ${hint}` })
        return false
      }
    }
    const isThere = await attempt('health', async () => {
      const startMs = performance.now()
      const { version } = await rheo.health()
      return `version ${version}, in ${Math.round(performance.now() - startMs)} ms`
    })
    if (isThere) {
      const mayCall = await attempt('credentials', async () => {
        const { mechanisms, guarantees } = await rheo.capabilities()
        const { auth, storage, testClock } = mechanisms
        const warnings = [
          ...(guarantees.durable ? [] : ['what is appended does not outlive the process']),
          ...(testClock === true ? ['the clock can be set by callers: never in production'] : []),
        ]
        return [`auth ${auth}, storage ${storage}`, ...warnings].join('; ')
      })
      if (mayCall) {
        await attempt('streams', async () => {
          const { streams, nextCursor } = await rheo.streams.list()
          return `${streams.length}${nextCursor === null ? '' : ' and more'} to be seen`
        })
      }
    }
    const isWell = checks.every(({ ok }) => ok)
    const rows = checks.map(({ check, ok, detail }) => [check, ok ? 'ok' : 'FAILED', detail])
    await print({ ok: isWell, checks }, () => table(['CHECK', 'RESULT', 'DETAIL'], rows))
    return isWell ? 0 : 1
  },
})
