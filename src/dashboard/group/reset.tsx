import { useState } from 'preact/hooks'
import type { GroupInfo, PartitionLag, ResetOptions } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { useAction } from '../action.tsx'
import { useTypedName } from '../dialog.tsx'
import { partitionsOf } from '../form.ts'
import { Opener } from '../form-dialog.tsx'
import { counted } from '../format.ts'
import { StartFields, type StartText, startOf } from '../start.tsx'
import { DryRunDialog } from './dry-run-dialog.tsx'
import { Outcome } from './outcome.tsx'
import { PartitionsField } from './partitions-field.tsx'
import { planReset } from './plan-reset.ts'
import { usePlan } from './use-plan.ts'

interface ResetProps {
  readonly info: GroupInfo
}

export const Reset = ({ info }: ResetProps) => (
  <Opener scope="admin" dialog={(onClose) => <ResetDialog info={info} onClose={onClose} />}>
    Reset…
  </Opener>
)

interface Plan {
  readonly options: ResetOptions
  readonly partitions: Readonly<Record<string, PartitionLag>>
}

const ResetDialog = ({ info, onClose }: ResetProps & { readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { stream, name } = info
  const { error, run } = useAction()
  const [start, setStart] = useState<StartText>({ kind: 'earliest', sequence: '0', time: '' })
  const [partitions, setPartitions] = useState('')
  const { planned, forget, plan } = usePlan<Plan>()
  const { field, isTyped } = useTypedName(name)
  const dryRun = (): Promise<boolean> =>
    run(() =>
      plan(async (signal) => {
        const options = { confirm: true, ...startOf(start), ...partitionsOf(partitions) } as const
        return { options, partitions: await planReset(rheo, stream, name, { ...options, signal }) }
      }),
    )
  const reset = async (close: () => void): Promise<void> => {
    const isDone = await run(async () => {
      const answer = await rheo.groups.reset(stream, name, planned!.options)
      const lag = Object.values(answer.partitions).reduce((sum, one) => sum + one.lag, 0)
      return `Reset ${name}: its lag there is ${counted(lag, 'event')}.`
    })
    if (isDone) close()
  }
  return (
    <DryRunDialog
      title={`Reset ${name}`}
      onClose={onClose}
      error={error}
      dryRun={dryRun}
      isPlanned={planned !== undefined}
      isTyped={isTyped}
      act={reset}
      label={`Reset ${name}`}
    >
      <p>
        The group forgets what it has done and starts over: attempts, {counted(info.deadLetters, 'dead letter')} and{' '}
        {counted(info.inFlight, 'lease')} are given up for good, as far as they lie in the partitions chosen. Events
        stay.
      </p>
      <StartFields
        value={start}
        onValue={(next) => {
          setStart(next)
          forget()
        }}
      />
      <PartitionsField
        value={partitions}
        onValue={(next) => {
          setPartitions(next)
          forget()
        }}
      />
      {planned === undefined ? null : (
        <>
          <Outcome name="Would start" partitions={planned.partitions} />
          {field}
        </>
      )}
    </DryRunDialog>
  )
}
