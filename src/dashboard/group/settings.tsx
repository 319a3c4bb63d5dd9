import type { GroupInfo } from '../../client/index.ts'
import { duration, number, stamp } from '../format.ts'

/** How the group was set up. */
export const Settings = ({ info }: { readonly info: GroupInfo }) => {
  const { maxAttempts, leaseMs, maxInFlight, backoff, createdAt } = info
  const facts: [string, string][] = [
    ['Attempts', number(maxAttempts)],
    ['Lease', milliseconds(leaseMs)],
    ['In flight at most', maxInFlight === null ? 'unlimited' : `${number(maxInFlight)} in each partition`],
    [
      'Backoff',
      backoff === null
        ? 'none'
        : `from ${milliseconds(backoff.baseMs)}, times ${backoff.factor}, up to ${milliseconds(backoff.maxMs)}`,
    ],
    ['Created (UTC)', stamp(createdAt)],
  ]
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const milliseconds = (ms: number): string => (ms < 1_000 || ms % 1_000 !== 0 ? `${number(ms)} ms` : duration(ms))
