import type { Result } from '../core/failure.ts'

/** The content type of a streamed answer. */
export const NDJSON = 'application/x-ndjson'

/** Whether a client asks for a stream of lines. */
export const acceptsNdjson = (request: Request): boolean =>
  (request.headers.get('Accept') ?? '')
    .toLowerCase()
    .split(/[,;]/)
    .some((type) => type.trim() === NDJSON)

/** A page of lines, and how to get the next one; null at the end. */
export interface LinePage {
  readonly lines: readonly string[]
  readonly next: (() => Promise<Result<LinePage>>) | null
}

/**
 * Streams lines page by page, each fetched when the client has taken the one before: memory stays bounded. The first
 * page has been fetched already, so that what is wrong from the start is a proper problem. A failure midway breaks the
 * connection: a complete body is a complete answer.
 */
export function streamLines(first: LinePage): Response {
  let page: LinePage | null = first
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (page !== null) {
        const { lines, next }: LinePage = page
        if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.join('\n')}\n`))
        const following = next === null ? null : await next()
        if (following !== null && !following.ok) return controller.error(new Error(following.failure.code))
        page = following === null ? null : following.value
        if (lines.length > 0 && page !== null) return
      }
      controller.close()
    },
    cancel() {
      page = null
    },
  })
  return new Response(body, { headers: { 'Content-Type': NDJSON } })
}
