import { useState } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { useAction } from '../action.tsx'
import { Field } from '../field.tsx'
import { Opener } from '../form-dialog.tsx'
import { navigate } from '../navigation.tsx'
import { StartFields, type StartText, startOf } from '../start.tsx'
import { CreateDialog } from './create-dialog.tsx'

export const CreateGroup = ({ stream }: { readonly stream: string }) => (
  <Opener scope="admin" dialog={(onClose) => <CreateGroupDialog stream={stream} onClose={onClose} />}>
    Create group…
  </Opener>
)

const CreateGroupDialog = ({ stream, onClose }: { readonly stream: string; readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  const [name, setName] = useState('')
  const [maxAttempts, setMaxAttempts] = useState('5')
  const [leaseSeconds, setLeaseSeconds] = useState('30')
  const [start, setStart] = useState<StartText>({ kind: 'earliest', sequence: '0', time: '' })
  const submit = async (): Promise<void> => {
    const isDone = await run(async () => {
      await rheo.groups.create(stream, name, {
        maxAttempts: Number(maxAttempts),
        leaseMs: Math.round(Number(leaseSeconds) * 1_000),
        ...startOf(start),
      })
      return `Created the group ${name}.`
    })
    if (isDone) navigate({ view: 'group', stream, group: name })
  }
  return (
    <CreateDialog title="Create a group" name={name} onName={setName} onClose={onClose} onSubmit={submit} error={error}>
      <StartFields value={start} onValue={setStart} />
      <div class="side-by-side">
        <Field label="Attempts" note="then a dead letter" type="number" value={maxAttempts} onValue={setMaxAttempts} />
        <Field label="Lease" note="seconds" type="number" value={leaseSeconds} onValue={setLeaseSeconds} />
      </div>
    </CreateDialog>
  )
}
