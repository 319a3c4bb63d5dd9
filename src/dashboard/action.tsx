import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { RheoError } from '../client/index.ts'
import { refused, said, useAccess } from './access.ts'
import { refreshAll } from './poll/use-poll.ts'
import type { Scope } from './session.ts'

export interface Action {
  readonly isBusy: boolean
  readonly error: unknown
  /** Does the work, once at a time; resolves to whether it succeeded. */
  run(work: () => Promise<string | undefined>): Promise<boolean>
}

/** Work that somebody starts: what it answers is told, what it throws is kept, and the page is read anew. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isRunning = useRef(false)
  const run = async (work: () => Promise<string | undefined>): Promise<boolean> => {
    if (isRunning.current) return false
    isRunning.current = true
    setBusy(true)
    setError(undefined)
    try {
      const message = await work()
      if (message !== undefined) {
        said.set(message)
        refreshAll()
      }
      return true
    } catch (thrown) {
      if (thrown instanceof RheoError && thrown.code === 'unauthenticated') refused.set(thrown.detail)
      setError(thrown)
      return false
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return { isBusy, error, run }
}

interface ButtonProps {
  readonly scope?: Scope
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  readonly label?: string
  readonly onClick?: () => void
  readonly children: ComponentChildren
}

/**
 * A button that says why it cannot be used when the token lacks its scope. One that cannot be used keeps the focus, and
 * can be reached to hear why; it only does nothing.
 */
export const Button = ({
  scope,
  kind = 'plain',
  type = 'button',
  disabled = false,
  label,
  onClick,
  children,
}: ButtonProps) => {
  const { may } = useAccess()
  const reason = scope !== undefined && !may(scope) ? `needs a token with the scope ${scope}` : undefined
  const isOff = disabled || reason !== undefined
  return (
    <button
      type={type}
      class={kind}
      aria-disabled={isOff || undefined}
      title={reason}
      aria-label={label === undefined ? undefined : reason === undefined ? label : `${label} (${reason})`}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.()
      }}
    >
      {children}
      {reason === undefined || label !== undefined ? null : <span class="unseen"> ({reason})</span>}
    </button>
  )
}
