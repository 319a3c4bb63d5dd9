import { useState } from 'preact/hooks'
import type { DeadLetter } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Dialog } from '../dialog.tsx'
import { Empty } from '../empty.tsx'
import { counted, number, stamp } from '../format.ts'
import { Link } from '../navigation.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { Table } from '../table.tsx'
import { glance, Place } from './event-table.tsx'
import { Heading, Pending } from './heading.tsx'

const PAGE = 50

const causes: { readonly [C in DeadLetter['cause']]: string } = {
  rejected: 'rejected',
  max_attempts: 'out of attempts',
  lease_expired: 'lease ran out',
}

interface DeadLettersProps {
  readonly stream: string
  readonly group: string
  readonly after?: string
}

export const DeadLettersView = ({ stream, group, after }: DeadLettersProps) => {
  const { rheo, may } = useAccess()
  const polled = usePoll(`dead letters ${stream} ${group} ${after ?? ''}`, (signal) =>
    rheo.deadLetters.list(stream, group, { limit: PAGE, after, signal }),
  )
  const letters = polled.data?.deadLetters ?? []
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAsking, setAsking] = useState(false)
  const { error, run } = useAction()
  const ids = letters.map(({ eventId }) => eventId).filter((id) => chosen.has(id))
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const redrive = (): Promise<boolean> =>
    run(async () => {
      const { redriven } = await rheo.deadLetters.redrive(stream, group, { eventIds: ids })
      setChosen(new Set())
      return `Redrove ${counted(redriven, 'dead letter')}: they are available again.`
    })
  return (
    <>
      <Heading
        actions={
          letters.length === 0 ? undefined : (
            <>
              <Button scope="admin" kind="primary" disabled={ids.length === 0} onClick={() => void redrive()}>
                Redrive chosen ({number(ids.length)})
              </Button>
              <Button
                scope="admin"
                onClick={() =>
                  setChosen(new Set(ids.length < letters.length ? letters.map(({ eventId }) => eventId) : []))
                }
              >
                {ids.length < letters.length ? 'Choose all on this page' : 'Choose none'}
              </Button>
              <Button scope="admin" onClick={() => setAsking(true)}>
                Redrive all…
              </Button>
            </>
          )
        }
      >
        Dead letters of {group}
      </Heading>
      <Problem error={error} />
      <Pending polled={polled} />
      {polled.data === undefined ? null : letters.length === 0 ? (
        <Empty>
          {after === undefined
            ? 'There is no dead letter: every event that ended was acked.'
            : 'This is beyond the last dead letter.'}{' '}
          <Link to={{ view: 'group', stream, group }}>Back to {group}</Link>
        </Empty>
      ) : (
        <Table
          caption="Dead letters"
          rows={letters}
          keyOf={({ partition, sequence }) => `${partition}/${sequence}`}
          columns={[
            {
              head: 'Event',
              cell: ({ event, eventId }) => (
                <>
                  {may('admin') ? (
                    <input
                      type="checkbox"
                      aria-label={`Choose ${event.partition}/${event.sequence}`}
                      checked={chosen.has(eventId)}
                      onChange={(change) => choose(eventId, change.currentTarget.checked)}
                    />
                  ) : null}{' '}
                  <Place event={event} />
                </>
              ),
            },
            { head: 'Reason', kind: 'text', cell: ({ reason }) => reason ?? <span class="faint">none given</span> },
            { head: 'Cause', kind: 'text', cell: ({ cause }) => causes[cause] },
            { head: 'Attempt', kind: 'number', cell: ({ attempt }) => number(attempt) },
            { head: 'Consumer', kind: 'text', cell: ({ consumerId }) => consumerId ?? '–' },
            {
              head: 'Since (UTC)',
              kind: 'text',
              cell: ({ deadLetteredAt }) => <time dateTime={deadLetteredAt}>{stamp(deadLetteredAt)}</time>,
            },
            {
              head: 'Type and key',
              kind: 'text',
              cell: ({ event: { type, key } }) => [type, key].filter((part) => part !== null).join(', ') || '–',
            },
            {
              head: 'Payload',
              kind: 'text',
              cell: ({ event }) => <code class="glance short">{glance(event.payload)}</code>,
            },
          ]}
        />
      )}
      <p class="further">
        {after === undefined ? null : <Link to={{ view: 'deadLetters', stream, group }}>First page</Link>}
        {polled.data?.nextCursor ? (
          <Link to={{ view: 'deadLetters', stream, group, after: polled.data.nextCursor }}>Next {PAGE}</Link>
        ) : null}
      </p>
      {isAsking ? <RedriveAll stream={stream} group={group} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

const RedriveAll = ({ stream, group, onClose }: DeadLettersProps & { readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  return (
    <Dialog title="Redrive all dead letters" onClose={onClose}>
      {(close) => (
        <>
          <p>
            Every dead letter of <strong>{group}</strong>, those on other pages too, becomes available again with fresh
            attempts. Do this when what made them fail has been put right.
          </p>
          <Problem error={error} />
          <p class="buttons">
            <Button onClick={close}>Cancel</Button>
            <Button
              kind="primary"
              scope="admin"
              onClick={async () => {
                const isDone = await run(async () => {
                  const { redriven } = await rheo.deadLetters.redrive(stream, group, { all: true })
                  return `Redrove ${counted(redriven, 'dead letter')}: they are available again.`
                })
                if (isDone) close()
              }}
            >
              Redrive all
            </Button>
          </p>
        </>
      )}
    </Dialog>
  )
}
