/** A JSON answer from text that is JSON already. */
export const jsonText = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'Content-Type': 'application/json' } })

/** A JSON answer. */
export const json = (body: unknown, status = 200): Response => jsonText(JSON.stringify(body), status)

/** The answer to what leaves nothing to say. */
export const noContent = (): Response => new Response(null, { status: 204 })

/** What is returned to a client that has gone; nobody reads it. */
export const clientGone = (): Response => new Response(null, { status: 499 })
