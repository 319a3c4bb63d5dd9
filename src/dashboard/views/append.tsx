import { useState } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Field } from '../field.tsx'
import { objectOf, wholeOf } from '../form.ts'
import { FormDialog, Opener } from '../form-dialog.tsx'

interface AppendProps {
  readonly stream: string
  readonly partitionCount: number
}

export const Append = (props: AppendProps) => (
  <Opener scope="append" kind="primary" dialog={(onClose) => <AppendDialog {...props} onClose={onClose} />}>
    Append event…
  </Opener>
)

const AppendDialog = ({ stream, partitionCount, onClose }: AppendProps & { readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  const [type, setType] = useState('')
  const [key, setKey] = useState('')
  const [partition, setPartition] = useState('')
  const [payload, setPayload] = useState('{}')
  const [metadata, setMetadata] = useState('')
  const [appended, setAppended] = useState('')
  const submit = (): Promise<boolean> =>
    run(async () => {
      setAppended('')
      const event = await rheo.append(stream, {
        payload: objectOf('Payload', payload),
        metadata: objectOf('Metadata', metadata),
        ...(type === '' ? {} : { type }),
        ...(key === '' ? {} : { key }),
        ...(partition === '' ? {} : { partition: wholeOf('Partition', partition) }),
      })
      const message = `Appended as sequence ${event.sequence} of partition ${event.partition}.`
      setAppended(message)
      return message
    })
  return (
    <FormDialog
      title={`Append an event to ${stream}`}
      onClose={onClose}
      onSubmit={submit}
      error={error}
      cancel="Close"
      button={
        <Button type="submit" kind="primary" scope="append">
          Append
        </Button>
      }
    >
      <div class="side-by-side">
        <Field label="Type" value={type} onValue={setType} isCode />
        <Field label="Key" value={key} onValue={setKey} isCode />
        <Field
          label="Partition"
          type="number"
          placeholder="by the key"
          value={partition}
          onValue={setPartition}
          isDisabled={partitionCount === 1}
        />
      </div>
      <Field label="Payload" note="A JSON object." lines={6} value={payload} onValue={setPayload} isCode />
      <Field
        label="Metadata"
        note="A JSON object, such as {&quot;correlation_id&quot;: &quot;A-1&quot;}; it may be left out."
        lines={2}
        value={metadata}
        onValue={setMetadata}
        isCode
      />
      {appended === '' ? null : <p class="done">{appended}</p>}
    </FormDialog>
  )
}
