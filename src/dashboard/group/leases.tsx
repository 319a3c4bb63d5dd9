import { useState } from 'preact/hooks'
import type { ListedLease } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Dialog } from '../dialog.tsx'
import { counted, number } from '../format.ts'
import { usePoll } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { Table } from '../table.tsx'
import { Pending } from '../views/heading.tsx'
import { usePages } from '../views/pager.tsx'
import { Until } from './blocked.tsx'
import { type Holder, holdersOf } from './holders.ts'

interface LeasesProps {
  readonly stream: string
  readonly group: string
}

/** Who holds leases, and until when. */
export const Leases = ({ stream, group }: LeasesProps) => {
  const { rheo } = useAccess()
  const polled = usePoll(`leases ${stream} ${group}`, (signal) =>
    rheo.groups.leases(stream, group, { limit: 1_000, signal }),
  )
  const leases: readonly ListedLease[] = polled.data?.leases ?? []
  const { shown, pager } = usePages(holdersOf(leases), 20, 'consumers')
  const [releasing, setReleasing] = useState<Holder & { consumerId: string }>()
  return (
    <section aria-labelledby="leases">
      <h2 id="leases">Leases by consumer</h2>
      <Pending polled={polled} />
      {polled.data === undefined ? null : leases.length === 0 ? (
        <p class="faint">Nobody holds a lease.</p>
      ) : (
        <>
          <Table
            caption="Leases by consumer"
            rows={shown}
            keyOf={({ consumerId }) => consumerId ?? ''}
            columns={[
              { head: 'Consumer', cell: ({ consumerId }) => consumerId ?? <span class="faint">without a name</span> },
              { head: 'Leases', kind: 'number', cell: ({ count }) => number(count) },
              { head: 'Partitions', kind: 'text', cell: ({ partitions }) => partitions.join(', ') },
              { head: 'First expiry', kind: 'text', cell: ({ firstExpiry }) => <Until time={firstExpiry} /> },
              { head: 'Last expiry', kind: 'text', cell: ({ lastExpiry }) => <Until time={lastExpiry} /> },
              {
                head: 'Release',
                kind: 'actions',
                cell: ({ consumerId, ...holder }) =>
                  consumerId === null ? null : (
                    <Button
                      scope="admin"
                      label={`Release all leases of ${consumerId}`}
                      onClick={() => setReleasing({ ...holder, consumerId })}
                    >
                      Release…
                    </Button>
                  ),
              },
            ]}
          />
          {pager}
          {polled.data.nextCursor === null ? null : <p class="faint">The first 1,000 leases are counted.</p>}
        </>
      )}
      {releasing === undefined ? null : (
        <ReleaseDialog stream={stream} group={group} holder={releasing} onClose={() => setReleasing(undefined)} />
      )}
    </section>
  )
}

interface ReleaseProps extends LeasesProps {
  readonly holder: Holder & { consumerId: string }
  readonly onClose: () => void
}

const ReleaseDialog = ({ stream, group, holder, onClose }: ReleaseProps) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  const { consumerId, count } = holder
  return (
    <Dialog title={`Release the leases of ${consumerId}`} onClose={onClose}>
      {(close) => (
        <>
          <p>
            {counted(count, 'event')} become available at once, their attempts refunded. Do this for a consumer that
            will not come back: one that is still at work finds its leases stale.
          </p>
          <Problem error={error} />
          <p class="buttons">
            <Button onClick={close}>Cancel</Button>
            <Button
              kind="danger"
              scope="admin"
              onClick={async () => {
                const isDone = await run(async () => {
                  const { released } = await rheo.groups.releaseConsumer(stream, group, consumerId)
                  return `Released ${counted(released, 'lease')} of ${consumerId}.`
                })
                if (isDone) close()
              }}
            >
              Release
            </Button>
          </p>
        </>
      )}
    </Dialog>
  )
}
