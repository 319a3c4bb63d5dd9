/** A fetch of leases that waits for work, as it is sent again when the clock is moved. */
export interface WaitingFetch {
  /** The same call with what is left of its wait. */
  request(signal: AbortSignal): Request
}

/** Reads a call and tells whether it waits; gives null and leaves the call as it is when it does not. */
export async function readWaitingFetch(request: Request): Promise<WaitingFetch | null> {
  if (request.method !== 'POST' || !new URL(request.url).pathname.endsWith('/fetch')) return null
  const body = parse(await request.clone().text())
  const waitMs = body?.waitMs
  if (typeof waitMs !== 'number' || !(waitMs > 0)) return null
  const deadlineMs = Date.now() + waitMs
  let isFirst = true
  return {
    request(signal) {
      // The first try goes out as it came: what is wrong with it is the service's to say.
      const left = isFirst ? waitMs : Math.max(0, deadlineMs - Date.now())
      isFirst = false
      const { url, method, headers } = request
      return new Request(url, { method, headers, body: JSON.stringify({ ...body, waitMs: left }), signal })
    },
  }
}

function parse(text: string): { readonly waitMs?: unknown } | null {
  try {
    return JSON.parse(text) as { readonly waitMs?: unknown } | null
  } catch {
    return null
  }
}
