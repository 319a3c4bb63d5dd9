import { Rheo } from '../src/client/index.ts'
import { costOf } from './client.ts'
import { addCost, type Measured } from './load.ts'

/** A client as users have it, over the global `fetch`; what its calls cost is left in a measurement. */
export function createSdk(url: string, measured: Measured): Rheo {
  return new Rheo({
    url,
    async fetch(url, init) {
      const response = await fetch(url, init)
      addCost(measured, costOf(`rheo-cost: ${response.headers.get('rheo-cost')}`))
      return response
    },
  })
}
