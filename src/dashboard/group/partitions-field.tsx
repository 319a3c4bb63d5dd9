import { Field } from '../field.tsx'

export const PartitionsField = ({
  value,
  onValue,
}: {
  readonly value: string
  readonly onValue: (value: string) => void
}) => (
  <Field
    label="Partitions"
    note="Such as 0, 2; empty means all."
    placeholder="all"
    value={value}
    onValue={onValue}
    isCode
  />
)
