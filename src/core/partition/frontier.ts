/** The committed frontier (S4.9): everything below the first open delivery is terminal. */
export function frontierOf(edges: { cursor: number; firstTimed: number | null; firstReady: number | null }): number {
  return Math.min(edges.cursor, edges.firstTimed ?? Infinity, edges.firstReady ?? Infinity) - 1
}
