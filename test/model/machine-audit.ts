import type { MachineDriver } from './machine-driver.ts'
import type { Reference } from './reference.ts'

/** The alarm is wanted in time (S4.3), and a waiting fetch is told of work exactly when there is some (S3.6). */
export function auditMachine(driver: MachineDriver, { groups }: Reference): void {
  const deliveries = [...groups.values()].flatMap((group) => group.deliveries)
  const earliest = Math.min(...deliveries.flatMap(({ untilMs }) => untilMs ?? []))
  const next = driver.nextDueMs() ?? Number.POSITIVE_INFINITY
  if (next > earliest) throw new Error(`nextDueMs is ${next} although something is due at ${earliest}`)
  for (const [name, { options, deliveries }] of groups) {
    const leased = deliveries.filter(({ state }) => state === 'leased').length
    const gives = !options.paused && leased < (options.maxInFlight ?? Number.POSITIVE_INFINITY)
    const hasWork = gives && deliveries.some(({ state }) => state === 'available' || state === 'undelivered')
    if (driver.hasWork(name) !== hasWork) throw new Error(`hasWork of ${name} is not ${hasWork}`)
  }
}
