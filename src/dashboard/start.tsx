import type { Start } from '../client/index.ts'
import { Choice, Field } from './field.tsx'
import { timeOf, wholeOf } from './form.ts'

/** A start as it is being typed. */
export interface StartText {
  readonly kind: 'earliest' | 'latest' | 'sequence' | 'time'
  readonly sequence: string
  readonly time: string
}

/** The start of a call. @throws FormError */
export function startOf({ kind, sequence, time }: StartText): Start {
  if (kind === 'sequence') return { startAfter: wholeOf('After sequence', sequence) }
  return kind === 'time' ? { startAt: timeOf('At or after', time) } : { start: kind }
}

interface StartFieldsProps {
  readonly value: StartText
  readonly onValue: (value: StartText) => void
}

/** Where a group begins. */
export const StartFields = ({ value, onValue }: StartFieldsProps) => (
  <>
    <Choice
      legend="Start"
      value={value.kind}
      options={[
        ['earliest', 'at the first event'],
        ['latest', 'after the last event'],
        ['sequence', 'after a sequence'],
        ['time', 'at a time'],
      ]}
      onValue={(kind) => onValue({ ...value, kind })}
    />
    {value.kind === 'sequence' ? (
      <Field
        label="After sequence"
        note="in every partition"
        type="number"
        value={value.sequence}
        onValue={(sequence) => onValue({ ...value, sequence })}
      />
    ) : null}
    {value.kind === 'time' ? (
      <Field
        label="At or after"
        type="datetime-local"
        value={value.time}
        onValue={(time) => onValue({ ...value, time })}
      />
    ) : null}
  </>
)
