import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly note?: string
  readonly type?: 'text' | 'number' | 'datetime-local'
  readonly placeholder?: string
  readonly isCode?: boolean
  /** Lines of a longer text. */
  readonly lines?: number
  readonly isDisabled?: boolean
}

/** A field of a form with its label and, where that helps, a note. */
export const Field = ({
  label,
  value,
  onValue,
  note,
  type = 'text',
  isCode,
  lines,
  placeholder,
  isDisabled,
}: FieldProps) => {
  const id = useId()
  const shared = {
    id,
    value,
    placeholder,
    disabled: isDisabled,
    class: isCode ? 'code' : undefined,
    spellcheck: !isCode,
    autocomplete: 'off',
    'aria-describedby': note === undefined ? undefined : `${id}-note`,
    onInput: (event: Event) => onValue((event.currentTarget as HTMLInputElement).value),
  } as const
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {lines === undefined ? (
        <input {...shared} {...({ type } as { type: 'text' })} step={type === 'datetime-local' ? 0.001 : undefined} />
      ) : (
        <textarea {...shared} rows={lines} />
      )}
      {note === undefined ? null : (
        <span id={`${id}-note`} class="faint note">
          {note}
        </span>
      )}
    </p>
  )
}

interface ChoiceProps<T extends string> {
  readonly legend: string
  readonly value: T
  readonly options: readonly (readonly [value: T, label: string])[]
  readonly onValue: (value: T) => void
}

/** One of a few. */
export function Choice<T extends string>({ legend, value, options, onValue }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {options.map(([option, label]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onValue(option)} /> {label}
        </label>
      ))}
    </fieldset>
  )
}
