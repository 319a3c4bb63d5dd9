import { randomBytes } from 'node:crypto'
import { mint } from '../http/tokens.ts'
import { type Attempt, attempts, type Kind, neighbors, victim } from './attempt.ts'
import { type FloodOptions, type FloodReport, flood, type Verdict } from './flood.ts'
import { NOW } from './nonsense.ts'
import { type As, billing, dump, settleIn } from './tenant.ts'
import { openWire, type WireAnswer } from './wire.ts'

/**
 * Tries to reach what a tenant has, with all of its answers at hand but not its token. The server asks for tokens, takes
 * `secret`, and has the test clock. A fault is an answer with anything of the tenant in it, a settle that lands, a
 * refusal of the wrong kind, and any difference in all that the API shows of the tenant before and after.
 */
export async function floodAcross(url: string, secret: string, options: FloodOptions): Promise<FloodReport> {
  const wire = openWire(url)
  const asTenant =
    (tenant: string): As =>
    (method, path, body) =>
      wire.send({
        method,
        path,
        headers: {
          'Content-Type': 'application/json',
          'Rheo-Now': NOW,
          Authorization: `Bearer ${mint({ tenant }, secret)}`,
        },
        ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
      })
  try {
    const marker = `seen-${randomBytes(8).toString('hex')}`
    const owner = asTenant(victim)
    const loot = await settleIn(owner, marker, 'worker-1')
    for (const tenant of neighbors) await settleIn(asTenant(tenant), 'own', 'own-worker')
    const before = await dump(owner)
    const report = await flood(options, attempts(loot, secret, NOW), async (attempt) => {
      const { method, path, headers, body } = attempt
      const raw = body === null ? {} : { raw: JSON.stringify(body) }
      return verdictOf(attempt, await wire.send({ method, path, headers, ...raw }), marker)
    })
    const faults = [...report.faults]
    if ((await dump(owner)) !== before) faults.push('what the API shows of the tenant has changed')
    // The leases that were stolen are still the tenant's, all but those that it had settled itself.
    const leases = loot.leases.map(({ leaseId }) => ({ leaseId }))
    const settled = (await owner('POST', `${billing}/ack`, { leases })).body.settled
    if (settled !== loot.leases.length - 6) faults.push(`the tenant could settle ${settled} of its leases`)
    return { ...report, faults }
  } finally {
    wire.close()
  }
}

/** The only statuses that each way to try may end in; null for any that the tenant of the token may get. */
const refusals: Readonly<Record<Kind, readonly number[] | null>> = {
  neighbor: null,
  forger: [401],
  namer: [403],
  guest: [400, 403, 404, 405],
}

function verdictOf({ kind, method, path, headers, body }: Attempt, answer: WireAnswer, marker: string): Verdict {
  const answered = `${kind} ${(answer.status >= 400 && answer.body?.code) || answer.status}`
  const fault = (what: string): Verdict => ({
    answered,
    fault: `${what}: ${answer.status} ${answer.text.slice(0, 300)} to ${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body)}`,
  })
  if (answer.text.includes(marker) || JSON.stringify(answer.headers).includes(marker)) return fault('read')
  if (answer.status >= 500) return fault('5xx')
  const { settled = 0, released = 0, redriven = 0, ok = false } = answer.body ?? {}
  if (settled > 0 || released > 0 || redriven > 0 || ok) return fault('settled')
  const allowed = refusals[kind]
  if (allowed !== null && !allowed.includes(answer.status)) return fault('not refused')
  if (answer.status >= 400 && !/ rows-written=0,/.test(String(answer.headers['rheo-cost']))) return fault('written')
  return { answered, fault: null }
}
