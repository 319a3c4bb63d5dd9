import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: (close: () => void) => ComponentChildren
}

/** A dialog over the page. Escape closes it, and the focus returns to where it was: the browser sees to both. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => element.current!.showModal(), [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children(() => element.current?.close())}
    </dialog>
  )
}

/** A name that has to be typed before something is done that cannot be undone. */
export function useTypedName(name: string) {
  const [typed, setTyped] = useState('')
  const id = useId()
  const field = (
    <p class="field">
      <label for={id}>
        Type <code>{name}</code> to confirm
      </label>
      <input
        id={id}
        value={typed}
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </p>
  )
  return { field, isTyped: typed === name }
}
