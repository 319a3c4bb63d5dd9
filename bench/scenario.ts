import type { Measured } from './load.ts'
import type { World } from './world.ts'

/** One thing measured in turns with the others of its scenario. */
export type Lane = {
  name: string
  /** Rheo Edge itself, or what it is measured beside. */
  isReference: boolean
  /** How many connections, workers or callers work at once. */
  connections: number
  /** Makes ready what a round needs, untimed. */
  prepare?(): Promise<void>
  run(seconds: number): Promise<Measured>
  /** A run is one step, so that there is nothing to warm up. */
  isOnce?: boolean
}

/** Lanes that are measured in turns, so that a machine that slows down slows all of them. */
export type Scenario = {
  name: string
  /** Says what a step is, in a line. */
  what: string
  lanes(world: World): Promise<Lane[]>
  goals: readonly Goal[]
}

/** What can be read off a measurement; times are of a step, `pageMs` is of one request. */
export const metrics = {
  eventsPerSecond: 'events/s',
  p50Ms: 'p50',
  pageMs: 'p50 of a page',
  rowsWrittenPerStep: 'rows written a step',
  rowsWrittenPerEvent: 'rows written an event',
} as const

/** What a lane should reach: by itself, or as a ratio over another lane of the scenario. */
export type Goal = {
  lane: string
  metric: keyof typeof metrics
  against?: string
  atLeast?: number
  atMost?: number
}
