import { useState } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Field } from '../field.tsx'
import { FormDialog, Opener } from '../form-dialog.tsx'
import { navigate } from '../navigation.tsx'

export const CreateStream = () => (
  <Opener scope="admin" kind="primary" dialog={(onClose) => <CreateStreamDialog onClose={onClose} />}>
    Create stream…
  </Opener>
)

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
    <FormDialog
      title="Create a stream"
      onClose={onClose}
      onSubmit={submit}
      error={error}
      button={
        <Button type="submit" kind="primary" scope="admin" disabled={name === ''}>
          Create
        </Button>
      }
    >
      <Field label="Name" note="1 to 128 of A-Z a-z 0-9 . _ -" value={name} onValue={setName} isCode />
      <Field
        label="Partitions"
        note="1 to 256. It never changes, so leave room: each is one Durable Object."
        type="number"
        value={partitionCount}
        onValue={setPartitionCount}
      />
    </FormDialog>
  )
}
