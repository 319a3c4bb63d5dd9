import { families, type Metric } from './families.ts'

/** The text format of Prometheus in its version 0.0.4. */
export const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'

/** The labels of a sample as they are written, their values escaped. */
export const labelsOf = (labels: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(`${value}`)}"`)
    .join(',')}}`

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))

/** Samples on their way into a text, in which all of one metric stand together. */
export class Exposition {
  readonly #samples = new Map<Metric, string[]>()
  /** How long the text is by now, about. */
  length = 0

  add(metric: Metric, labels: string, value: number | boolean): void {
    const sample = `${metric}${labels} ${value === Infinity ? '+Inf' : Number(value)}\n`
    const samples = this.#samples.get(metric)
    if (samples === undefined) this.#samples.set(metric, [sample])
    else samples.push(sample)
    this.length += sample.length
  }

  toString(): string {
    return [...this.#samples]
      .map(([metric, samples]) => `# HELP ${metric} ${families[metric]}\n# TYPE ${metric} gauge\n${samples.join('')}`)
      .join('')
  }
}
