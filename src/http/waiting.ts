import { failed, failure, ok, type Result } from '../core/failure.ts'
import { addressOf, touch } from './ask.ts'
import type { Call, Names } from './call.ts'
import type { FetchRequest } from './contract/fetch.ts'
import { type FetchOutcome, fetchOnce } from './fetch.ts'

/** How soon at the earliest a wait that failed is followed by another fetch. */
const FAILED_WAIT_MS = 100

/**
 * Fetches, and when there is nothing waits for work and fetches again, until `waitMs` of real time are over. A wait
 * leases nothing (S3.6), so that over many partitions no attempt is spent on what nobody receives.
 */
export async function fetchWaiting(call: Call, names: Names, request: FetchRequest): Promise<Result<FetchOutcome>> {
  const deadlineMs = Date.now() + request.waitMs
  for (;;) {
    const fetched = await fetchOnce(call, names, request)
    if (!fetched.ok || fetched.value.reason === null) return fetched
    const leftMs = deadlineMs - Date.now()
    if (leftMs <= 0) return fetched
    const end = await waitForWork(call, fetched.value, leftMs)
    if (end === 'over') return ok(fetched.value)
    // A partition that refuses load is not asked again on behalf of this client, which is told to hold back.
    if (end === 'overloaded') return failed(failure('overloaded', 'a partition refuses load for now', {}))
    if (end === 'failed') await pause(Math.min(FAILED_WAIT_MS, deadlineMs - Date.now()), call.signal)
  }
}

/** How waiting ended. */
type End = 'work' | 'over' | 'overloaded' | 'failed'

/**
 * Waits in all partitions that were asked until one may have work. The others are told to stop: a waiter costs its
 * object memory, and the object a call that it keeps open.
 */
async function waitForWork(call: Call, { target, partitions }: FetchOutcome, waitMs: number): Promise<End> {
  const stop = new AbortController()
  const end = await new Promise<End>((resolve) => {
    let open = partitions.length
    for (const partition of partitions) {
      const address = addressOf(call, target.stream, partition)
      touch(call, address)
      call.backend.wait(address, target.group, waitMs, call.testNowMs, stop.signal).then(
        (woken) => {
          open -= 1
          if (woken === 'work') resolve('work')
          else if (open === 0) resolve('over')
        },
        (fault: { overloaded?: unknown }) => resolve(fault?.overloaded === true ? 'overloaded' : 'failed'),
      )
    }
    if (call.signal.aborted) resolve('over')
    call.signal.addEventListener('abort', () => resolve('over'), { signal: stop.signal })
  })
  stop.abort()
  return end
}

/** Resolves after so many milliseconds, or when the client goes. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
