import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Rheo, RheoError } from '../client/index.ts'
import { AccessContext, refused, said } from './access.ts'
import { Away, Bar } from './bar.tsx'
import { address, routeOf } from './navigation.tsx'
import { Poller } from './poll/poller.ts'
import { away } from './poll/use-poll.ts'
import { Problem } from './problem.tsx'
import { titleOf } from './route.ts'
import { loadSession, mayDo, readClaims, type Scope, type Session, saveSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { useStore } from './store.ts'
import { View } from './views/view.tsx'

/** Whether a session lets somebody in: `asking` until the server has said so. */
type Entry = 'asking' | 'in' | 'refused'

export const App = () => {
  const [session, setSession] = useState(() => loadSession(sessionStorage))
  const [entry, setEntry] = useState<Entry>('asking')
  const [error, setError] = useState<unknown>()
  const why = useStore(refused)
  const rheo = useMemo(
    () => new Rheo({ url: window.location.origin, ...session, timeoutMs: 15_000, retry: false }),
    [session],
  )
  const change = (next: Session): void => {
    saveSession(sessionStorage, next)
    refused.set(null)
    said.set('')
    setEntry('asking')
    setSession(next)
  }
  useEffect(() => {
    const poller = new Poller(
      (signal) => rheo.capabilities({ signal }),
      (state) => {
        setError(state.error)
        if (state.data !== undefined) setEntry('in')
        else if (!(state.error instanceof RheoError) || state.error.code !== 'unauthenticated') return
        else refuse(state.error.detail)
        poller.stop()
      },
    )
    const refuse = (detail: string): void => {
      refused.set(detail)
      setEntry('refused')
    }
    return () => poller.stop()
  }, [rheo])
  useEffect(() => {
    if (why !== null) setEntry('refused')
  }, [why])

  const access = useMemo(
    () => ({ rheo, may: (scope: Scope) => mayDo(session, scope), hasToken: session.token !== undefined }),
    [rheo],
  )
  const tenant = session.token === undefined ? null : readClaims(session.token).tenant
  if (entry === 'refused')
    return <SignIn hadToken={session.token !== undefined} why={why} onToken={(token) => change({ token })} />
  return (
    <AccessContext.Provider value={access}>
      <Bar session={session} tokenTenant={tenant} onChange={change} />
      {entry === 'in' ? <Page session={session} /> : <Asking error={error} />}
    </AccessContext.Provider>
  )
}

const Asking = ({ error }: { readonly error: unknown }) => (
  <>
    <h1>Dashboard</h1>
    {error === undefined ? <p class="faint">Asking the server…</p> : <Problem error={error} />}
  </>
)

/** The view of the address. After a change of address the focus goes to its heading, so that it is read out. */
const Page = ({ session }: { readonly session: Session }) => {
  const text = useStore(address)
  const route = routeOf(text)
  const place = text.split('?')[0]
  const isFirst = useRef(true)
  const message = useStore(said)
  const gone = useStore(away)
  useEffect(() => {
    const timer = setTimeout(() => said.set(''), 10_000)
    return () => clearTimeout(timer)
  }, [message])
  useEffect(() => {
    document.title = `${titleOf(route)} · Rheo Edge`
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    document.querySelector<HTMLElement>('#dashboard h1')?.focus({ preventScroll: true })
  }, [place])
  return (
    <>
      <Away />
      <p class="said" role="status">
        {message}
      </p>
      <div class={gone === null ? undefined : 'stale'}>
        <View key={`${session.token ?? session.tenant ?? ''} ${place}`} route={route} />
      </div>
    </>
  )
}
