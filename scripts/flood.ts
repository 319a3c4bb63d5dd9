/** Floods a server of its own with requests, valid and hostile, and with attempts on another tenant. */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { floodAcross } from '../test/flood/across.ts'
import type { FloodReport } from '../test/flood/flood.ts'
import { floodNonsense } from '../test/flood/nonsense.ts'
import { startLocal } from './local.ts'

const usage = `Usage: npm run flood -- [--requests <N>] [--mode nonsense|across|both] [--seed <S>] [--lanes <L>] [--seconds <T>]

  --requests  requests of each mode (default: 10000)
  --mode      nonsense: valid and hostile requests; across: attempts on the streams of another tenant (default: both)
  --seed      where chance begins (default: a random number)
  --lanes     requests on their way at a time (default: 16)
  --seconds   end each mode after so long, although requests are left

Prints what was answered how often. Ends with 1 if anything was answered, written, read or settled that must not be.
`

function readOptions() {
  const text = { type: 'string' } as const
  const options = {
    requests: text,
    mode: text,
    seed: text,
    lanes: text,
    seconds: text,
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options, allowPositionals: false })
  const requests = Number(values.requests ?? 10_000)
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const lanes = Number(values.lanes ?? 16)
  if (![requests, seed, lanes].every((number) => Number.isSafeInteger(number) && number >= 0)) {
    throw new Error('--requests, --seed and --lanes must be whole numbers')
  }
  const seconds = values.seconds === undefined ? Infinity : Number(values.seconds)
  if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')
  const mode = values.mode ?? 'both'
  if (!['nonsense', 'across', 'both'].includes(mode)) throw new Error('--mode must be nonsense, across or both')
  const onProgress = (sent: number): void => void process.stderr.write(`${sent} sent\n`)
  return { requests, seed, lanes, seconds, onProgress, mode, isHelp: values.help === true }
}

function show(mode: string, { sent, seconds, answered, faults }: FloodReport): boolean {
  const rate = Math.round(sent / seconds)
  process.stdout.write(`${mode}: ${sent} requests in ${Math.round(seconds)} s, ${rate} a second\n`)
  for (const [code, count] of [...answered].sort(([, a], [, b]) => b - a)) {
    process.stdout.write(`  ${String(count).padStart(8)} ${code}\n`)
  }
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`)
  return faults.length === 0
}

async function run(): Promise<number> {
  const { isHelp, mode, ...options } = readOptions()
  if (isHelp) {
    process.stdout.write(usage)
    return 0
  }
  process.stdout.write(`seed ${options.seed}\n`)
  const noted: string[] = []
  const onLog = (level: string, message: string): void => void noted.push(`${level}: ${message}`)
  const vars = { RHEO_TEST_CLOCK: '1' }
  let isWell = true
  if (mode !== 'across') {
    const local = await startLocal({ directSockets: true, vars, onLog })
    try {
      isWell = show('nonsense', await floodNonsense(local.url, options)) && isWell
    } finally {
      await local.stop()
    }
  }
  if (mode !== 'nonsense') {
    const secret = randomBytes(32).toString('base64url')
    const token = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
    const local = await startLocal({ directSockets: true, vars: { ...vars, ...token }, onLog })
    try {
      isWell = show('across', await floodAcross(local.url, secret, options)) && isWell
    } finally {
      await local.stop()
    }
  }
  for (const line of new Set(noted)) process.stdout.write(`logged ${line}\n`)
  return isWell ? 0 : 1
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n\n${usage}`)
  process.exitCode = 2
}
