import type { ComponentChildren } from 'preact'

export interface Column<R> {
  readonly head: string
  readonly cell: (row: R) => ComponentChildren
  /** `text` has a line of its own on a phone, `wide` is left out there. */
  readonly kind?: 'number' | 'actions' | 'text' | 'wide'
}

interface TableProps<R> {
  readonly caption: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string | number
}

/** A table whose rows become cards on a phone: each cell then shows its column's head beside it. */
export function Table<R>({ caption, columns, rows, keyOf }: TableProps<R>) {
  const [main, ...others] = columns
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, kind }) => (
            <th key={head} scope="col" class={kind}>
              {kind === 'actions' ? <span class="unseen">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row" class={main!.kind}>
              {main!.cell(row)}
            </th>
            {others.map(({ head, cell, kind }) => (
              <td key={head} class={kind} data-label={kind === 'actions' ? '' : head}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
