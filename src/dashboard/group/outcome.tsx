import type { PartitionLag } from '../../client/index.ts'
import { counted, number } from '../format.ts'

interface OutcomeProps {
  readonly name: string
  readonly partitions: Readonly<Record<string, PartitionLag & { readonly reopened?: number }>>
}

/** What a dry run says: each partition as it would be. */
export const Outcome = ({ name, partitions }: OutcomeProps) => {
  const rows = Object.entries(partitions)
  const hasCounts = rows.some(([, { reopened }]) => reopened !== undefined)
  const sum = (of: (one: PartitionLag & { readonly reopened?: number }) => number): number =>
    rows.reduce((total, [, one]) => total + of(one), 0)
  const all = { reopened: sum(({ reopened = 0 }) => reopened), lag: sum(({ lag }) => lag) }
  const table = (
    <table class="tight">
      <caption class="unseen">{name}, by partition</caption>
      <thead>
        <tr>
          <th scope="col">Partition</th>
          {hasCounts ? (
            <th scope="col" class="number">
              Events
            </th>
          ) : null}
          <th scope="col" class="number">
            Frontier then
          </th>
          <th scope="col" class="number">
            Lag then
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([partition, { reopened, frontier, lag }]) => (
          <tr key={partition}>
            <th scope="row">{partition}</th>
            {hasCounts ? <td class="number">{number(reopened ?? 0)}</td> : null}
            <td class="number">{number(frontier)}</td>
            <td class="number">{number(lag)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
  return (
    <div class="outcome" role="status">
      <p>
        <strong>{name}</strong>{' '}
        {hasCounts
          ? `${counted(all.reopened, 'event')}; lag then ${number(all.lag)}`
          : `with a lag of ${number(all.lag)}`}
      </p>
      {rows.length <= 8 ? (
        table
      ) : (
        <details>
          <summary>By partition</summary>
          {table}
        </details>
      )}
    </div>
  )
}
