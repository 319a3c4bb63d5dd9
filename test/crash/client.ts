import type { Runtime } from './runtime.ts'

/** How often a call that gets no answer is sent again before the test gives up. */
const maxTries = 40
/** No call here waits longer for its answer on a running server. */
const answerMs = 20_000

/** A complete answer. */
export type Answer<T> = { status: number; body: T; headers: Headers }

/** What is sent. */
export type Request = { method?: 'GET' | 'POST'; path: string; body?: unknown; idempotencyKey?: string }

/** A caller that knows that the runtime may die under its calls. */
export type Client = {
  /**
   * Sends once; null when the connection broke before the answer was complete: then nobody knows what was done, and the
   * runtime is up again.
   */
  once<T>(request: Request): Promise<Answer<T> | null>
  /** Sends until there is an answer. Only for what is safe to repeat. */
  call<T>(request: Request): Promise<Answer<T>>
  /** Sends once, and refuses no answer and any other status than `status`. */
  expect<T>(status: number, request: Request): Promise<T>
  /** Resolves when so many more answers have come. */
  answered(count: number): Promise<void>
  /** How many answers have come. */
  answers(): number
}

/** Calls `/v1` of the server. */
export function createClient(runtime: Pick<Runtime, 'url' | 'up'>): Client {
  let answers = 0
  let waiting: { until: number; resolve: () => void }[] = []

  async function once<T>({ method = 'POST', path, body, idempotencyKey }: Request): Promise<Answer<T> | null> {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    const init = { method, headers, signal: AbortSignal.timeout(answerMs) }
    let response: Response
    let text: string
    try {
      response = await fetch(`${runtime.url}/v1${path}`, {
        ...init,
        body: method === 'GET' ? null : JSON.stringify(body),
      })
      text = await response.text()
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') throw new Error(`${method} ${path}: no answer in ${answerMs} ms`)
      await runtime.up()
      return null
    }
    answers += 1
    for (const one of waiting) if (one.until <= answers) one.resolve()
    waiting = waiting.filter((one) => one.until > answers)
    return { status: response.status, body: parse(text), headers: response.headers }
  }

  async function call<T>(request: Request): Promise<Answer<T>> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const answer = await once<T>(request)
      if (answer !== null) return answer
    }
    throw new Error(`${request.path}: no answer in ${maxTries} tries`)
  }

  return {
    once,
    call,
    async expect<T>(status: number, request: Request): Promise<T> {
      const answer = await once<T>(request)
      if (answer?.status === status) return answer.body
      const got = answer === null ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body)}`
      throw new Error(`${request.method ?? 'POST'} ${request.path}: expected ${status}, got ${got}`)
    },
    answered(count) {
      return new Promise((resolve) => waiting.push({ until: answers + count, resolve }))
    },
    answers: () => answers,
  }
}

/** Every answer of the server is JSON; one that is not becomes a body that no test expects. */
function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
