import type { Failure } from '../core/failure.ts'

/** The content type of Server-Sent Events. */
export const EVENT_STREAM = 'text/event-stream'

/** How soon a browser comes again after its connection has ended. */
const RETRY_MS = 1_000

/** The beginning of a stream: where it begins, so that whoever loses it before the first event comes back to here. */
export const openingText = (position: string): string => `retry: ${RETRY_MS}\nid: ${position}\n\n`

/** An event, its stored text spliced in: JSON as it is stored has no line breaks. */
export const eventBlock = (position: string, event: string): string => `id: ${position}\ndata: ${event}\n\n`

/** What keeps a connection alive, and takes the client's position along where that has moved past what did not match. */
export const heartbeatBlock = (position: string | null): string => `${idLine(position)}:\n\n`

/** A new position and nothing else; no text where there is none. */
export const positionBlock = (position: string | null): string => (position === null ? '' : `${idLine(position)}\n`)

/** The last block: there will be nothing more, and why. */
export const endBlock = (position: string | null, { code, detail }: Failure): string =>
  `${idLine(position)}event: end\ndata: ${JSON.stringify({ code, detail })}\n\n`

const idLine = (position: string | null): string => (position === null ? '' : `id: ${position}\n`)

/** Where the texts of a stream come from, one each time it is asked; null at the end. */
export interface Source {
  next(): Promise<string | null>
  close(): void
}

/** Streams texts as fast as the client takes them: the next is asked for when the one before has been taken. */
export function streamTexts(source: Source): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await source.next()
          if (text === null) controller.close()
          else controller.enqueue(encoder.encode(text))
        } catch (fault) {
          source.close()
          throw fault
        }
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'Content-Type': EVENT_STREAM } })
}
