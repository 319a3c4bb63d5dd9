import { useState } from 'preact/hooks'
import type { GroupInfo, Replayed, ReplayOptions, Where } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { useTypedName } from '../dialog.tsx'
import { Choice, Field } from '../field.tsx'
import { objectOf, partitionsOf, timeOf, wholeOf } from '../form.ts'
import { FormDialog, Opener } from '../form-dialog.tsx'
import { counted } from '../format.ts'
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
      const { reopened } = await rheo.groups.replay(stream, name, planned!.options)
      return `Replay opened ${counted(reopened, 'event')} again for ${name}.`
    })
    if (isDone) close()
  }
  return (
    <FormDialog
      title={`Replay for ${name}`}
      onClose={onClose}
      onSubmit={(close) => (planned === undefined ? dryRun() : isTyped ? replay(close) : undefined)}
      error={error}
      button={
        planned === undefined ? (
          <Button type="submit" kind="primary" scope="admin">
            Dry run
          </Button>
        ) : (
          <Button type="submit" kind="danger" scope="admin" disabled={!isTyped || planned.outcome.reopened === 0}>
            Replay {counted(planned.outcome.reopened, 'event')}
          </Button>
        )
      }
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
      {planned === undefined || planned.outcome.reopened === 0 ? null : field}
    </FormDialog>
  )
}
