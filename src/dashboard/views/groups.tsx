import { useAccess } from '../access.ts'
import { curl, Empty } from '../empty.tsx'
import { counted, duration, number } from '../format.ts'
import { keepSample, samplesOf } from '../group/history.ts'
import { Trend } from '../group/lag-chart.tsx'
import { Link } from '../navigation.tsx'
import { listEveryMs } from '../poll/pace.ts'
import { usePoll } from '../poll/use-poll.ts'
import { useRows } from '../poll/use-rows.ts'
import { oldestAge } from '../rows.ts'
import { type Column, Table } from '../table.tsx'
import { CreateGroup } from './create-group.tsx'
import { useFilter } from './filter.tsx'
import { Pending } from './heading.tsx'
import { usePages } from './pager.tsx'
import { figure } from './streams.tsx'

/** The groups of a stream and how far each is. */
export const Groups = ({ stream }: { readonly stream: string }) => {
  const { rheo, hasToken } = useAccess()
  const list = usePoll(
    `groups ${stream}`,
    async (signal) => (await rheo.groups.list(stream, { limit: 1_000, signal })).groups,
    (groups) => listEveryMs(groups.length),
  )
  const groups = list.data ?? []
  const { wanted, filter, field } = useFilter(groups, 'group-filter')
  const { shown, pager } = usePages(wanted, 20, 'groups')
  const names = shown.map(({ name }) => name)
  const { rows, polled } = useRows(`rows ${stream}`, names, async (name, signal) => {
    const info = await rheo.groups.get(stream, name, { signal })
    keepSample(info)
    return info
  })
  const of = (name: string) => rows.get(name)?.value
  const columns: Column<(typeof shown)[number]>[] = [
    {
      head: 'Group',
      cell: ({ name, paused }) => (
        <>
          <Link to={{ view: 'group', stream, group: name }}>{name}</Link>
          {(of(name)?.paused ?? paused) ? <span class="badge paused">paused</span> : null}
        </>
      ),
    },
    {
      head: 'Lag',
      kind: 'number',
      cell: ({ name }) => figure(of(name), ({ lag }) => number(lag.lag)),
    },
    { head: 'Trend', kind: 'wide', cell: (group) => <Trend samples={samplesOf(group)} /> },
    { head: 'In flight', kind: 'number', cell: ({ name }) => figure(of(name), ({ inFlight }) => number(inFlight)) },
    { head: 'Available', kind: 'number', cell: ({ name }) => figure(of(name), ({ available }) => number(available)) },
    { head: 'Delayed', kind: 'number', cell: ({ name }) => figure(of(name), ({ delayed }) => number(delayed)) },
    {
      head: 'Dead letters',
      kind: 'number',
      cell: ({ name }) => {
        const count = of(name)?.deadLetters
        if (!count) return figure(count, number)
        return (
          <Link class="bad" to={{ view: 'deadLetters', stream, group: name }}>
            {number(count)}
          </Link>
        )
      },
    },
    {
      head: 'Oldest unsettled',
      kind: 'number',
      cell: ({ name }) =>
        figure(of(name), ({ oldestUnsettled }) => (oldestUnsettled === null ? '–' : duration(oldestUnsettled.ageMs))),
    },
  ]
  const age = oldestAge(names, rows, Date.now())
  return (
    <section aria-labelledby="groups">
      <div class="heading">
        <h2 id="groups">Groups</h2>
        <div class="buttons">
          <CreateGroup stream={stream} />
        </div>
      </div>
      <Pending polled={list} />
      {list.data === undefined ? null : groups.length === 0 ? (
        <Empty call={curl(`/streams/${encodeURIComponent(stream)}/groups`, { name: 'billing' }, hasToken)}>
          No group reads this stream yet. Create one above, or from a shell:
        </Empty>
      ) : (
        <>
          {groups.length <= 10 ? null : (
            <div class="above">
              {field}
              <p class="faint">
                {counted(wanted.length, 'group')}
                {age === null ? '' : `; figures at most ${duration(age + 1_000)} old`}
              </p>
            </div>
          )}
          <Pending polled={{ ...polled, data: true }} />
          {wanted.length === 0 ? (
            <Empty>No group’s name contains “{filter}”.</Empty>
          ) : (
            <Table caption="Groups" columns={columns} rows={shown} keyOf={({ name }) => name} />
          )}
          {pager}
        </>
      )}
    </section>
  )
}
