import { useState } from 'preact/hooks'
import type { GroupInfo, Replayed, ReplayOptions, Where } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { useAction } from '../action.tsx'
import { useTypedName } from '../dialog.tsx'
import { Choice, Field } from '../field.tsx'
import { objectOf, partitionsOf, timeOf, wholeOf } from '../form.ts'
import { Opener } from '../form-dialog.tsx'
import { counted } from '../format.ts'
import { DryRunDialog } from './dry-run-dialog.tsx'
import { Outcome } from './outcome.tsx'
import { PartitionsField } from './partitions-field.tsx'
import { usePlan } from './use-plan.ts'

interface ReplayProps {
  readonly info: GroupInfo
}

export const Replay = ({ info }: ReplayProps) => (
  <Opener scope="admin" dialog={(onClose) => <ReplayDialog info={info} onClose={onClose} />}>
    Replay…
  </Opener>
)

type Kind = 'sequence' | 'time' | 'query'

const ReplayDialog = ({ info: { stream, name }, onClose }: ReplayProps & { readonly onClose: () => void }) => {
  const { rheo } = useAccess()
  const { error, run } = useAction()
  const [kind, setKind] = useState<Kind>('sequence')
  const [texts, setTexts] = useState<Record<Kind | 'partitions', string>>({
    sequence: '0',
    time: '',
    query: '',
    partitions: '',
  })
  const [resetAttempts, setResetAttempts] = useState(true)
  const { planned, forget, plan } = usePlan<{ readonly options: ReplayOptions; readonly outcome: Replayed }>()
  const reopened = planned?.outcome.reopened ?? 0
  const { field, isTyped } = useTypedName(name)

  // Any change makes the dry run one of something else.
  const change = (which: Kind | 'partitions') => (text: string) => {
    setTexts((before) => ({ ...before, [which]: text }))
    forget()
  }
  const optionsOf = (): ReplayOptions => ({
    ...(kind === 'sequence' ? { fromSequence: wholeOf('After sequence', texts.sequence) } : {}),
    ...(kind === 'time' ? { from: timeOf('At or after', texts.time) } : {}),
    ...(kind === 'query' ? { query: { where: objectOf('Conditions', texts.query) as Where } } : {}),
    ...partitionsOf(texts.partitions),
    resetAttempts,
  })
  const dryRun = (): Promise<boolean> =>
    run(() =>
      plan(async (signal) => {
        const options = optionsOf()
        return { options, outcome: await rheo.groups.replay(stream, name, { ...options, dryRun: true, signal }) }
      }),
    )
  const replay = async (close: () => void): Promise<void> => {
    const isDone = await run(async () => {
      const done = await rheo.groups.replay(stream, name, planned!.options)
      return `Replay opened ${counted(done.reopened, 'event')} again for ${name}.`
    })
    if (isDone) close()
  }
  return (
    <DryRunDialog
      title={`Replay for ${name}`}
      onClose={onClose}
      error={error}
      dryRun={dryRun}
      isPlanned={planned !== undefined}
      isTyped={isTyped}
      isIdle={reopened === 0}
      act={replay}
      label={`Replay ${counted(reopened, 'event')}`}
    >
      <p>
        Events that this group has been given before become available to it again, whatever became of them. Leases among
        them become stale. Other groups notice nothing.
      </p>
      <Choice
        legend="What to replay"
        value={kind}
        options={[
          ['sequence', 'after a sequence'],
          ['time', 'from a time on'],
          ['query', 'what a search finds'],
        ]}
        onValue={(next) => {
          setKind(next)
          forget()
        }}
      />
      {kind === 'sequence' ? (
        <Field
          label="After sequence"
          note="0 is everything."
          type="number"
          value={texts.sequence}
          onValue={change('sequence')}
        />
      ) : kind === 'time' ? (
        <Field label="At or after" type="datetime-local" value={texts.time} onValue={change('time')} />
      ) : (
        <Field
          label="Conditions"
          note="JSON as in a search; empty matches every event."
          placeholder='{"type": "placed"}'
          lines={3}
          value={texts.query}
          onValue={change('query')}
          isCode
        />
      )}
      <PartitionsField value={texts.partitions} onValue={change('partitions')} />
      <p class="check">
        <label>
          <input
            type="checkbox"
            checked={resetAttempts}
            onChange={(event) => {
              setResetAttempts(event.currentTarget.checked)
              forget()
            }}
          />{' '}
          Fresh attempts
        </label>{' '}
        <span class="faint">Without them the next failure may make a dead letter.</span>
      </p>
      {planned === undefined ? null : <Outcome name="Would be replayed:" partitions={planned.outcome.partitions} />}
      {reopened === 0 ? null : field}
    </DryRunDialog>
  )
}
