// npm run bench: what the server does and costs, beside what one would use otherwise. See docs/internals/performance.md.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chart } from './chart.ts'
import { measureMemory } from './memory.ts'
import { type Options, readOptions } from './options.ts'
import { type Report, toText } from './report.ts'
import { run } from './run.ts'

const options = readOptions()
if (options === null) process.exitCode = 2
else await bench(options)

async function bench(options: Options): Promise<void> {
  const { json, svg, from, memory } = options
  if (from === undefined) build()
  if (memory) {
    const { text, isMet } = await measureMemory(options.quick)
    process.stdout.write(text)
    if (!isMet) process.exitCode = 1
    return
  }
  const report: Report = from === undefined ? await run(options) : JSON.parse(readFileSync(from, 'utf8'))
  if (svg !== undefined) writeFileSync(svg, chart(report))
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `\n${toText(report)}\n`)
}

/** Measured is what a deploy would upload. */
function build(): void {
  const script = fileURLToPath(new URL('../scripts/build.ts', import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
  if (status !== 0) {
    process.stderr.write(stdout)
    process.exit(status ?? 1)
  }
}
