import { sleep } from './clock.ts'
import { RheoError } from './errors.ts'
import { type Endpoint, exchange } from './exchange.ts'
import type { Code } from './failure.ts'
import type { RetryOptions } from './options.ts'
import type { Request, Safety } from './request.ts'

/** With these the server says that nothing was done. */
const refusals: readonly Code[] = ['rate_limited', 'overloaded', 'backend_unavailable']

/** The failures after which a call of each kind is made again. */
const repeated: Readonly<Record<Safety, readonly Code[]>> = {
  read: [...refusals, 'ambiguous'],
  repeatable: [...refusals, 'ambiguous'],
  refused: refusals,
  never: [],
}

/** A server that asks for more than this is not waited for. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * Makes a call, and makes it again where that is safe and may help. A pause is a random part of a bound that doubles
 * with each try, so that clients that failed together do not come back together.
 */
export async function exchangeRetrying<T>(
  endpoint: Endpoint,
  request: Request,
  { attempts = 4, baseMs = 100, maxMs = 5_000 }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await exchange<T>(endpoint, request)
    } catch (error) {
      const isLast = attempt >= attempts || !(error instanceof RheoError)
      if (isLast || !repeated[request.safety].includes(error.code)) throw error
      const askedMs = error.retryAfterMs ?? 0
      if (askedMs > MAX_RETRY_AFTER_MS) throw error
      const jitterMs = endpoint.clock.random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1))
      await sleep(endpoint.clock, askedMs + jitterMs, request.signal)
    }
  }
}
