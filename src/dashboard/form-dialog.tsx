import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './action.tsx'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'
import type { Scope } from './session.ts'

interface OpenerProps {
  readonly scope: Scope
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly children: ComponentChildren
  /** The dialog, which is made anew each time. */
  readonly dialog: (onClose: () => void) => ComponentChildren
}

/** A button that opens a dialog. */
export const Opener = ({ scope, kind = 'plain', children, dialog }: OpenerProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button scope={scope} kind={kind} onClick={() => setOpen(true)}>
        {children}
      </Button>
      {isOpen ? dialog(() => setOpen(false)) : null}
    </>
  )
}

interface FormDialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly onSubmit: (close: () => void) => unknown
  readonly error: unknown
  /** What sends the form. */
  readonly button: ComponentChildren
  /** What closes it without. */
  readonly cancel?: string
  readonly children: ComponentChildren
}

/** A dialog that is a form. Below its fields stands what went wrong, and below that its buttons. */
export const FormDialog = ({
  title,
  onClose,
  onSubmit,
  error,
  button,
  cancel = 'Cancel',
  children,
}: FormDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    {(close) => (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void onSubmit(close)
        }}
      >
        {children}
        <Problem error={error} />
        <p class="buttons">
          <Button onClick={close}>{cancel}</Button>
          {button}
        </p>
      </form>
    )}
  </Dialog>
)
