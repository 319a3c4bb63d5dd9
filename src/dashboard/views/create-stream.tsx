import { useState } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { useAction } from '../action.tsx'
import { Field } from '../field.tsx'
import { Opener } from '../form-dialog.tsx'
import { navigate } from '../navigation.tsx'
import { CreateDialog } from './create-dialog.tsx'

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
    <CreateDialog
      title="Create a stream"
      name={name}
      onName={setName}
      onClose={onClose}
      onSubmit={submit}
      error={error}
    >
      <Field
        label="Partitions"
        note="1 to 256. It never changes, so leave room: each is one Durable Object."
        type="number"
        value={partitionCount}
        onValue={setPartitionCount}
      />
    </CreateDialog>
  )
}
