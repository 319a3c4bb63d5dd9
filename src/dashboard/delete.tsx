import { useState } from 'preact/hooks'
import { said } from './access.ts'
import { Button, useAction } from './action.tsx'
import { Dialog, useTypedName } from './dialog.tsx'
import { Problem } from './problem.tsx'

interface DeleteProps {
  readonly what: 'stream' | 'group'
  readonly name: string
  readonly consequence: string
  readonly remove: () => Promise<void>
  readonly onDone: () => void
}

/** A button that deletes something once its name has been typed. */
export const Delete = (props: DeleteProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button scope="admin" kind="danger" onClick={() => setOpen(true)}>
        Delete {props.what}…
      </Button>
      {isOpen ? <DeleteDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

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
    <Dialog title={`Delete the ${what} ${name}`} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isTyped) void submit()
          }}
        >
          <p>{consequence}</p>
          {field}
          <Problem error={error} />
          <p class="buttons">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" kind="danger" scope="admin" disabled={!isTyped}>
              Delete {what}
            </Button>
          </p>
        </form>
      )}
    </Dialog>
  )
}
