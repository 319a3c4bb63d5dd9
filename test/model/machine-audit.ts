import type { MachineDriver } from './machine-driver.ts'
import type { Reference } from './reference.ts'

/**
 * The alarm is wanted in time (S4.3), a waiting fetch is told of work exactly when there is some (S3.6), and what is
 * counted as rows change is what counting them would give.
 */
export function auditMachine(driver: MachineDriver, { groups, events }: Reference): void {
  auditMetrics(driver, groups, events)
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

function auditMetrics(driver: MachineDriver, groups: Reference['groups'], events: Reference['events']): void {
  const told = driver.metrics()
  if (told.highWatermark !== events.length) throw new Error(`the high watermark is not ${told.highWatermark}`)
  const expected = [...groups].map(([name, { options, deliveries }]) => {
    const inState = (state: string): number => deliveries.filter((delivery) => delivery.state === state).length
    const open = deliveries.find(({ state }) => !['acked', 'rejected', 'skipped'].includes(state))
    const figures = {
      frontier: (open?.sequence ?? events.length + 1) - 1,
      leased: inState('leased'),
      delayed: inState('delayed'),
      available: inState('available'),
      rejected: inState('rejected'),
      oldestUnsettledMs: open === undefined ? null : events[open.sequence - 1]!.timestampMs,
    }
    return { name: `name of ${name}`, paused: options.paused, figures }
  })
  const counted = told.groups.map(({ figures, ...group }) => {
    const { openRuns: _, ...rest } = figures!
    return { ...group, figures: rest }
  })
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  const [is, wanted] = [counted, expected].map((all) => JSON.stringify(all.sort(byName).map(sorted)))
  if (is !== wanted) throw new Error(`the metrics are ${is} and not ${wanted}`)
}

/** With its members by name. */
const sorted = ({ name, paused, figures }: { name: string; paused: boolean; figures: object }) => [
  name,
  paused,
  Object.entries(figures).sort(),
]
