import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

const inColour = process.stdout.isTTY === true && !process.env.NO_COLOR
const indent = '   '
/** A list longer than this is shown by its first entry and a count. */
const maxShownEntries = 3
const maxColumns = 100

function paint(style: Style, text: string): string {
  return inColour ? styleText(style, text, { validateStream: false }) : text
}

let write = (text: string): void => {
  process.stdout.write(text)
}

/** Sends what is printed from now on elsewhere than to the standard output. */
export function printTo(take: (text: string) => void): void {
  write = take
}

function line(text = ''): void {
  write(text === '' ? '\n' : `${indent}${text}\n`)
}

/** The first lines of a story. */
export function title(text: string, ...below: string[]): void {
  write(`\n${paint('bold', text)}\n${paint('dim', below.join('\n'))}\n`)
}

/** Begins a step. */
export function heading(number: number, text: string): void {
  write(`\n${paint(['bold', 'cyan'], `${number}  ${text}`)}\n`)
}

/** What the reader should know before the call that follows, one line per argument. */
export function say(...lines: string[]): void {
  for (const text of lines) line(text)
}

/** A call as it went over the wire and the part of the answer that matters. */
export function exchange(request: string, body: string | undefined, status: number, answer: string | undefined): void {
  const code = paint(status < 400 ? 'green' : 'yellow', String(status))
  line()
  wrapped(`> ${request}`, body).forEach((text, row) => {
    line(row === 0 ? text.replace(`> ${request}`, paint('bold', `> ${request}`)) : text)
  })
  wrapped(`< ${status}`, answer).forEach((text, row) => {
    line(row === 0 ? text.replace(`< ${status}`, `${paint('dim', '<')} ${code}`) : text)
  })
}

/** `start` and `rest` on one line if they fit, else `rest` below it, broken after commas. */
function wrapped(start: string, rest?: string): string[] {
  if (rest === undefined) return [start]
  if (start.length + 1 + rest.length <= maxColumns) return [`${start} ${rest}`]
  const lines = [start]
  for (const part of rest.split(/(?<=,) /)) {
    const last = lines.at(-1)!
    if (lines.length === 1 || last.length + 1 + part.length > maxColumns) lines.push(`  ${part}`)
    else lines[lines.length - 1] = `${last} ${part}`
  }
  return lines
}

/** A promise of the server that its answer has just kept. */
export function kept(claim: string): void {
  line(`${paint('green', '✓')} ${claim}`)
}

/** A small table; columns whose cells are all numbers stand to the right. */
export function table(head: string[], rows: (string | number)[][]): void {
  const toRight = head.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => String(row[column]).length)))
  const pad = (cell: string | number, column: number) =>
    toRight[column] ? String(cell).padStart(widths[column]!) : String(cell).padEnd(widths[column]!)
  line()
  line(paint('dim', head.map(pad).join('   ')).trimEnd())
  for (const row of rows) line(row.map(pad).join('   ').trimEnd())
  line()
}

/** One partition as a row of sequences: which are settled, which are open, and where the frontier stands. */
export function strip(highWatermark: number, frontier: number, isOpen: (sequence: number) => boolean): void {
  const sequences = Array.from({ length: highWatermark }, (_, index) => index + 1)
  const cell = (text: string | number) => String(text).padEnd(4)
  line()
  line(`sequence  ${sequences.map(cell).join('')}`.trimEnd())
  line(`state     ${sequences.map((sequence) => cell(isOpen(sequence) ? '□' : '■')).join('')}  ■ settled  □ open`)
  line(`frontier  ${cell('').repeat(Math.max(0, frontier - 1))}↑`)
  line()
}

/** JSON on one line, spaced for the eye; long lists are cut, and opaque tokens give way to what they stand for. */
export function shown(value: unknown, names: ReadonlyMap<string, string>): string {
  if (Array.isArray(value)) {
    const whole = value.length <= maxShownEntries
    const entries = (whole ? value : value.slice(0, 1)).map((entry) => shown(entry, names))
    if (!whole) entries.push(`… ${value.length - 1} more`)
    return `[${entries.join(', ')}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `"${name}": ${shown(member, names)}`)
    return `{${members.join(', ')}}`
  }
  const name = typeof value === 'string' ? names.get(value) : undefined
  return name === undefined ? JSON.stringify(value) : `<${name}>`
}
