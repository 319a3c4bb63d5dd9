import { useEffect, useState } from 'preact/hooks'
import { headerOf } from './form.ts'
import { clockTime, duration, minute } from './format.ts'
import { address, Link, routeOf } from './navigation.tsx'
import { away, isPaused, lastRead, refreshAll } from './poll/use-poll.ts'
import { Problem } from './problem.tsx'
import type { Route } from './route.ts'
import { mayDo, readClaims, type Scope, type Session } from './session.ts'
import { useStore } from './store.ts'

interface BarProps {
  readonly session: Session
  readonly tokenTenant: string | null
  readonly onChange: (session: Session) => void
}

/** Where one is, whose data that is, and whether it is live. */
export const Bar = ({ session, tokenTenant, onChange }: BarProps) => (
  <>
    <div class="bar">
      <Trail />
      <div class="tools">
        <Live />
        {session.token === undefined ? (
          <Tenant tenant={session.tenant} onChange={onChange} />
        ) : (
          <>
            <span class="tenant">
              Tenant <strong>{tokenTenant ?? 'unknown'}</strong>
            </span>
            <button type="button" class="plain" onClick={() => onChange({})}>
              Sign out
            </button>
          </>
        )}
      </div>
    </div>
    <Lacking session={session} />
  </>
)

const Trail = () => {
  const route = routeOf(useStore(address))
  const steps: [string, Route][] = [['Streams', { view: 'streams' }]]
  if ('stream' in route) steps.push([route.stream, { view: 'stream', stream: route.stream }])
  if ('group' in route) steps.push([route.group, { view: 'group', stream: route.stream, group: route.group }])
  const last = { event: 'Event', deadLetters: 'Dead letters' }[route.view as string]
  return (
    <nav aria-label="Breadcrumb" class="trail">
      <ol>
        {steps.map(([name, to], index) => (
          <li key={index}>
            {last === undefined && index === steps.length - 1 ? (
              <span aria-current="page">{name}</span>
            ) : (
              <Link to={to}>{name}</Link>
            )}
          </li>
        ))}
        {last === undefined ? null : (
          <li>
            <span aria-current="page">{last}</span>
          </li>
        )}
      </ol>
    </nav>
  )
}

const Live = () => {
  const paused = useStore(isPaused)
  const gone = useStore(away)
  const at = useStore(lastRead)
  const state = gone !== null ? 'away' : paused ? 'paused' : 'live'
  return (
    <span class={`live ${state}`}>
      <span>
        {{ away: 'Away', paused: 'Paused', live: 'Live' }[state]}
        {at === null ? null : <time> {clockTime(at)}</time>}
      </span>
      <button type="button" class="plain" aria-pressed={paused} onClick={() => isPaused.set(!paused)}>
        Pause
      </button>
      {paused ? (
        <button type="button" class="plain" onClick={refreshAll}>
          Read now
        </button>
      ) : null}
    </span>
  )
}

const Tenant = ({
  tenant,
  onChange,
}: {
  readonly tenant: string | undefined
  readonly onChange: (session: Session) => void
}) => {
  const [name, setName] = useState(tenant ?? 'default')
  const [error, setError] = useState<unknown>()
  const submit = (): void => {
    try {
      const text = headerOf('Tenant', name)
      setError(undefined)
      onChange(text === '' || text === 'default' ? {} : { tenant: text })
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <>
      <form
        class="tenant"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label for="tenant">Tenant</label>
        <input
          id="tenant"
          value={name}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="plain" disabled={name === (tenant ?? 'default')}>
          Switch
        </button>
      </form>
      <Problem error={error} />
    </>
  )
}

const needs: { readonly [S in Scope]?: string } = {
  read: 'nothing can be shown',
  append: 'events cannot be appended',
  admin: 'nothing can be created, paused, replayed, redriven or deleted',
}

/** What the token does not allow, told once instead of at each button. */
const Lacking = ({ session }: { readonly session: Session }) => {
  const lacking = (['read', 'append', 'admin'] as const).filter((scope) => !mayDo(session, scope))
  const expiresAt = session.token === undefined ? null : readClaims(session.token).expiresAt
  if (lacking.length === 0) return null
  return (
    <p class="lacking">
      Your token{expiresAt === null ? '' : ` (good until ${minute(expiresAt)} UTC)`} lacks{' '}
      {lacking.map((scope, index) => (
        <span key={scope}>
          {index === 0 ? '' : '; '}
          <code>{scope}</code>: {needs[scope]}
        </span>
      ))}
      .
    </p>
  )
}

/** Says that the server is away, for as long as it is. */
export const Away = () => {
  const gone = useStore(away)
  const at = useStore(lastRead)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (gone === null) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [gone])
  return (
    <div role="alert">
      {gone === null ? null : (
        <div class="gone">
          <span>
            <strong>{gone.title}.</strong>{' '}
            {at === null ? 'Nothing could be read yet.' : `What you see is from ${clockTime(at)}.`}
          </span>
          <span class="faint" aria-hidden="true">
            Next try in {duration(Math.max(0, gone.nextAt - now))}
          </span>
          <button type="button" class="plain" onClick={refreshAll}>
            Try now
          </button>
        </div>
      )}
    </div>
  )
}
