/**
 * Rheo Edge in the process of a test: no server, no network, and a clock that is set instead of slept by.
 *
 * @module
 */
export type { LocalClock } from './clock.ts'
export { type Local, type LocalOptions, startLocal } from './start-local.ts'
