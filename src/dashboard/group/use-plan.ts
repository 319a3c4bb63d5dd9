import { useRef, useState } from 'preact/hooks'

interface Plan<T> {
  /** What the dry run said, for as long as the form is as it was then. */
  readonly planned: T | undefined
  /** To be called at every change of the form: ends a dry run under way, and whatever comes of it is left out. */
  forget(): void
  /** Does a dry run. */
  plan(work: (signal: AbortSignal) => Promise<T>): Promise<undefined>
}

/** The dry run of a form. */
export function usePlan<T>(): Plan<T> {
  const [planned, setPlanned] = useState<T>()
  const form = useRef(new AbortController())
  const forget = (): void => {
    form.current.abort()
    form.current = new AbortController()
    setPlanned(undefined)
  }
  const plan = async (work: (signal: AbortSignal) => Promise<T>): Promise<undefined> => {
    forget()
    const { signal } = form.current
    try {
      const answer = await work(signal)
      if (!signal.aborted) setPlanned(answer)
    } catch (thrown) {
      if (!signal.aborted) throw thrown
    }
  }
  return { planned, forget, plan }
}
