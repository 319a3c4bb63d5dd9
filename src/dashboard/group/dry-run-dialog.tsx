import type { ComponentChildren } from 'preact'
import { Button } from '../action.tsx'
import { FormDialog } from '../form-dialog.tsx'

interface DryRunDialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly error: unknown
  readonly dryRun: () => unknown
  /** Whether the dry run of what the fields say has been seen. */
  readonly isPlanned: boolean
  readonly isTyped: boolean
  /** Whether there is nothing to do. */
  readonly isIdle?: boolean
  readonly act: (close: () => void) => unknown
  /** What the button says that does it. */
  readonly label: ComponentChildren
  readonly children: ComponentChildren
}

/** A form of something that cannot be undone: it is tried out first, and done when the name has been typed as well. */
export const DryRunDialog = (props: DryRunDialogProps) => {
  const { title, onClose, error, dryRun, isPlanned, isTyped, isIdle = false, act, label, children } = props
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      onSubmit={(close) => (isPlanned ? (isTyped ? act(close) : undefined) : dryRun())}
      error={error}
      button={
        isPlanned ? (
          <Button type="submit" kind="danger" scope="admin" disabled={!isTyped || isIdle}>
            {label}
          </Button>
        ) : (
          <Button type="submit" kind="primary" scope="admin">
            Dry run
          </Button>
        )
      }
    >
      {children}
    </FormDialog>
  )
}
