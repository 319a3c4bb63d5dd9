import { said } from './access.ts'
import { Button, useAction } from './action.tsx'
import { useTypedName } from './dialog.tsx'
import { FormDialog, Opener } from './form-dialog.tsx'

interface DeleteProps {
  readonly what: 'stream' | 'group'
  readonly name: string
  readonly consequence: string
  readonly remove: () => Promise<void>
  readonly onDone: () => void
}

/** A button that deletes something once its name has been typed. */
export const Delete = (props: DeleteProps) => (
  <Opener scope="admin" kind="danger" dialog={(onClose) => <DeleteDialog {...props} onClose={onClose} />}>
    Delete {props.what}…
  </Opener>
)

const DeleteDialog = ({ what, name, consequence, remove, onDone, onClose }: DeleteProps & { onClose: () => void }) => {
  const { error, run } = useAction()
  const { field, isTyped } = useTypedName(name)
  const submit = async (): Promise<void> => {
    const isDone = await run(async () => {
      await remove()
      return undefined
    })
    if (!isDone) return
    // Not by the action itself, which would read the page of what is no more.
    said.set(`Deleted the ${what} ${name}.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Delete the ${what} ${name}`}
      onClose={onClose}
      onSubmit={() => (isTyped ? submit() : undefined)}
      error={error}
      button={
        <Button type="submit" kind="danger" scope="admin" disabled={!isTyped}>
          Delete {what}
        </Button>
      }
    >
      <p>{consequence}</p>
      {field}
    </FormDialog>
  )
}
