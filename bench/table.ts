/** A Markdown table with the columns aligned: the first ones to the left, as many as `leftColumns`, the rest to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], leftColumns: number): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(3, ...lines.map((line) => line[column]!.length)))
  const pad = (text: string, column: number) =>
    column < leftColumns ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
  const rule = widths.map((width, column) => (column < leftColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [first, ...rest] = lines.map((line) => line.map(pad))
  return [first!, rule, ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A number with three significant digits and thousands apart: `12 300`, `4.56`, `0.0405`. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (value === 0) return '0'
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  const [whole, fraction] = value.toFixed(Math.min(decimals, 4)).split('.')
  return whole!.replace(/\B(?=(\d{3})+$)/g, ' ') + (fraction === undefined ? '' : `.${fraction}`)
}
