import type { Measured } from './load.ts'

/** List prices in US dollars for a million of each, beyond what a plan includes. */
export const prices = {
  rowsWritten: 1,
  rowsRead: 0.001,
  objectRequests: 0.15,
  workerRequests: 0.3,
  queueOperations: 0.4,
  gigabyteSeconds: 12.5,
} as const

export const priceSources = [
  'https://developers.cloudflare.com/durable-objects/platform/pricing/',
  'https://developers.cloudflare.com/workers/platform/pricing/',
  'https://developers.cloudflare.com/queues/platform/pricing/',
]

/** An object is billed as this much, whatever it uses. */
const gigabytes = 0.128

/** What a million events cost; the object is taken to be awake for as long as the load ran, and no longer. */
export function dollarsPerMillion(measured: Measured): number {
  const { rowsWritten, rowsRead, objects, requests, queueOperations, seconds, events } = measured
  const duration = objects === 0 ? 0 : seconds * gigabytes * prices.gigabyteSeconds
  const counted =
    rowsWritten * prices.rowsWritten +
    rowsRead * prices.rowsRead +
    objects * prices.objectRequests +
    requests * prices.workerRequests +
    queueOperations * prices.queueOperations
  return (counted + duration) / events
}
