import { expect } from 'vitest'
import type { Problem } from './problem.ts'
import { expectProblem } from './problem.ts'
import type { Stream } from './stream.ts'
import type { StreamEvent } from './wire.ts'

/** One page of a search. */
export interface SearchPage {
  events: StreamEvent[]
  nextCursor: string | null
}

/** The four orders a search has. */
export const orders = (['sequence', 'timestamp'] as const).flatMap((order) =>
  [false, true].map((descending) => ({ order, descending })),
)

/** One page; asserts that the search is accepted. */
export async function searchPage(stream: Stream, body: Record<string, unknown> = {}): Promise<SearchPage> {
  const answer = await stream.send<SearchPage>('POST', '/query', { body })
  expect(answer.status, answer.where).toBe(200)
  expect(Object.keys(answer.body).sort(), answer.where).toEqual(['events', 'nextCursor'])
  return answer.body
}

/** Follows the cursors of a search to its end; `between` runs after each page. A listing that does not end fails. */
export async function searchAll(
  stream: Stream,
  body: Record<string, unknown> = {},
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<StreamEvent[]> {
  const found: StreamEvent[] = []
  const limit = Number(body.limit ?? 100)
  let cursor: string | null = null
  for (let page = 1; page <= 2_000; page += 1) {
    const answer: SearchPage = await searchPage(stream, cursor === null ? body : { ...body, cursor })
    expect(answer.events.length).toBeLessThanOrEqual(limit)
    found.push(...answer.events)
    if (answer.nextCursor === null) return found
    cursor = answer.nextCursor
    await between(page)
  }
  throw new Error(`the listing of ${JSON.stringify(body)} has not ended after 2 000 pages`)
}

/** Asserts that a search is refused with the code. */
export async function refusedSearch(stream: Stream, body: unknown, code: string): Promise<Problem> {
  return expectProblem(await stream.send('POST', '/query', { body }), code, JSON.stringify(body)?.slice(0, 200))
}

/** The `name` members of the payloads of what a condition finds, in order. */
export async function namesFound(stream: Stream, where: Record<string, unknown>): Promise<unknown[]> {
  return (await searchAll(stream, { where })).map((event) => event.payload.name)
}

/** Where an event stands, as `partition:sequence`. */
export const placeOf = ({ partition, sequence }: { partition: number; sequence: number }): string =>
  `${partition}:${sequence}`
