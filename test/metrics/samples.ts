/** One line of what Prometheus reads. */
export interface Sample {
  readonly metric: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format of Prometheus; a line that is none of it is an error. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, metric, inner, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (metric === undefined) throw new Error(`not a sample: ${line}`)
      const labels = Object.fromEntries(
        [...(inner ?? '').matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, name, text]) => [name!, unescaped(text!)]),
      )
      return { metric, labels, value: value === '+Inf' ? Infinity : Number(value) }
    })
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))

/** The values of a metric by the values of its labels, such as `orders/billing/0`. */
export const valuesOf = (text: string, metric: string): Record<string, number> =>
  Object.fromEntries(
    samplesOf(text)
      .filter((sample) => sample.metric === metric)
      .map(({ labels, value }) => [Object.values(labels).join('/'), value]),
  )
