import type { ComponentChildren } from 'preact'
import type { Polled } from '../poll/poller.ts'
import { isAway } from '../poll/poller.ts'
import { Problem } from '../problem.tsx'

/** The heading of a view, with what can be done beside it. */
export const Heading = ({
  children,
  actions,
}: {
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
}) => (
  <div class="heading">
    <h1 tabindex={-1}>{children}</h1>
    {actions === undefined ? null : <div class="buttons">{actions}</div>}
  </div>
)

interface TileProps {
  readonly name: string
  readonly children: ComponentChildren
  readonly note?: ComponentChildren
  readonly tone?: 'warn' | 'bad' | 'good' | undefined
}

/** A figure with its name. */
export const Tile = ({ name, children, note, tone }: TileProps) => (
  <div class={`tile ${tone ?? ''}`}>
    <dt>{name}</dt>
    <dd>
      <span class="figure">{children}</span>
      {note === undefined ? null : <span class="note">{note}</span>}
    </dd>
  </div>
)

/** What is shown in place of data that are not there yet, or cannot be had. That the server is away is told elsewhere. */
export const Pending = ({ polled }: { readonly polled: Polled<unknown> }) => {
  if (polled.error !== undefined && !isAway(polled.error)) return <Problem error={polled.error} />
  return polled.data === undefined ? <p class="pending faint">Reading…</p> : null
}
