import { useState } from 'preact/hooks'

/** The items whose name holds what is typed into a field; `id` is the field's. */
export function useFilter<T extends { readonly name: string }>(items: readonly T[], id: string) {
  const [filter, setFilter] = useState('')
  const part = filter.trim().toLowerCase()
  const field = (
    <p class="filter">
      <label for={id}>Filter</label>
      <input id={id} type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
    </p>
  )
  return { wanted: items.filter(({ name }) => name.toLowerCase().includes(part)), filter, field }
}
