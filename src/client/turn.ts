/** Microtasks that code takes from an answer to its next call, through a few layers of `async`. */
const HOPS = 16

/**
 * Lets everything that is about to happen in this turn happen, without a timer. Callers that go on after an answer are
 * gathered with those that waited: 64 callers in a loop need half the requests.
 */
export async function endOfTurn(): Promise<void> {
  for (let hop = 0; hop < HOPS; hop++) await undefined
}
