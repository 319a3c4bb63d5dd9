/** A command of a `shellsession` block, and the lines that it is said to print. */
export type Step = { command: string; shown: string[] }

/** Reads a `shellsession` block: commands stand behind `$ `, what they print below them. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = []
  for (const line of text.trimEnd().split('\n')) {
    const last = steps.at(-1)
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] })
    else if (last === undefined) throw new Error(`a transcript begins with a command, not with: ${line}`)
    else last.shown.push(line)
  }
  for (const { shown } of steps) while (shown.at(-1) === '') shown.pop()
  return steps
}

const MARK = '\u001e'

/** Bash for a step: the command between marks, so that its output can be told from that of others. */
export const scriptOfStep = ({ command }: Step): string => `printf '\\n${MARK}'\n${command}\nprintf '\\n${MARK}'`

/** The outputs of the steps of a script, in order. */
export const outputsOf = (output: string): string[] => output.split(MARK).filter((_, index) => index % 2 === 1)

/** The lines of an output, those that are as shown in the words of the page: there `…` stands for anything in a line. */
export function asShown(output: string, shown: readonly string[]): string[] {
  const lines = output.trim() === '' ? [] : output.trim().split('\n')
  return lines.map((line, index) => (matches(line.trimEnd(), shown[index] ?? '') ? shown[index]! : line))
}

/** The parts of the shown line between `…` occur in this order, the first at the beginning and the last at the end. */
function matches(line: string, shown: string): boolean {
  const [first, ...others] = shown.split('…')
  if (others.length === 0) return line === shown
  const last = others.pop()!
  let at = first!.length
  for (const part of others) {
    const found = line.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return line.startsWith(first!) && line.endsWith(last) && line.length >= at + last.length
}
