import { useState } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Dialog } from '../dialog.tsx'
import { Field } from '../field.tsx'
import { navigate } from '../navigation.tsx'
import { Problem } from '../problem.tsx'

export const CreateStream = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button scope="admin" kind="primary" onClick={() => setOpen(true)}>
        Create stream…
      </Button>
      {isOpen ? <CreateStreamDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}

const CreateStreamDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  const [name, setName] = useState('')
  const [partitionCount, setPartitionCount] = useState('1')
  const submit = async (): Promise<void> => {
    const isDone = await run(async () => {
      await rheo.streams.create(name, { partitionCount: Number(partitionCount) })
      return `Created the stream ${name}.`
    })
    if (isDone) navigate({ view: 'stream', stream: name })
  }
  return (
    <Dialog title="Create a stream" onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          <Field label="Name" note="1 to 128 of A-Z a-z 0-9 . _ -" value={name} onValue={setName} isCode />
          <Field
            label="Partitions"
            note="1 to 256. It never changes, so leave room: each is one Durable Object."
            type="number"
            value={partitionCount}
            onValue={setPartitionCount}
          />
          <Problem error={error} />
          <p class="buttons">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" kind="primary" scope="admin" disabled={name === ''}>
              Create
            </Button>
          </p>
        </form>
      )}
    </Dialog>
  )
}
