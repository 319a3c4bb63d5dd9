/** How long a line may be before it is broken. */
const WIDTH = 60

/** JSON for people: what fits a line stands on one. */
export function pretty(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = (within: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => pretty(item, within))
      : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pretty(member, within)}`)
  const line = `${open}${members(indent).join(', ')}${close}`
  if (line.length <= WIDTH - indent.length && !line.includes('\n')) return line
  const within = `${indent}  `
  return `${open}\n${members(within)
    .map((member) => within + member)
    .join(',\n')}\n${indent}${close}`
}
