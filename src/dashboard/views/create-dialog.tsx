import type { ComponentChildren } from 'preact'
import { Button } from '../action.tsx'
import { Field } from '../field.tsx'
import { FormDialog } from '../form-dialog.tsx'

interface CreateDialogProps {
  readonly title: string
  readonly name: string
  readonly onName: (name: string) => void
  readonly onClose: () => void
  readonly onSubmit: () => unknown
  readonly error: unknown
  readonly children: ComponentChildren
}

/** A form that makes something new, which needs a name before anything else. */
export const CreateDialog = ({ title, name, onName, onClose, onSubmit, error, children }: CreateDialogProps) => (
  <FormDialog
    title={title}
    onClose={onClose}
    onSubmit={onSubmit}
    error={error}
    button={
      <Button type="submit" kind="primary" scope="admin" disabled={name === ''}>
        Create
      </Button>
    }
  >
    <Field label="Name" note="1 to 128 of A-Z a-z 0-9 . _ -" value={name} onValue={onName} isCode />
    {children}
  </FormDialog>
)
