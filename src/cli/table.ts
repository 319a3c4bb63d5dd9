/** What a table shows; null is a dash. */
export type Cell = string | number | boolean | null | undefined

/** A table with a head, its columns aligned: numbers to the right. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [heads, ...rows.map((row) => row.map(textOf))]
  const widths = heads.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)))
  const isNumeric = heads.map((_, column) => rows.some((row) => typeof row[column] === 'number'))
  const lines = texts.map((row) =>
    row
      .map((text, column) => (isNumeric[column] ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

/** A table, or a sentence when there is nothing in it. */
export const tableOr = (none: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  rows.length === 0 ? `${none}\n` : table(heads, rows)

/** Names and values below each other. */
export function list(entries: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}\n`).join('')
}

/** One row by itself, for what has no end. */
export const line = (cells: readonly Cell[]): string => `${cells.map(textOf).join('  ')}\n`

/** A text cut to so many characters. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`

/** What comes from events may hold anything; nothing of it may steer the terminal. */
function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '-'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return String(cell).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, escaped)
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
