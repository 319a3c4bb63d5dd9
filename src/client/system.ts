import { call } from './call.ts'
import type { JsonObject } from './event.ts'
import type { CallOptions, Send } from './request.ts'

export interface Health {
  readonly status: 'ok'
  readonly version: string
}

/** What a server promises, by what means, and its limits by name. */
export interface Capabilities {
  readonly guarantees: Readonly<
    Record<
      'durable' | 'distributed' | 'atLeastOnce' | 'leaseFencing' | 'partitions' | 'contiguousFrontier' | 'replay',
      boolean
    >
  >
  readonly mechanisms: JsonObject
  readonly limits: Readonly<Record<string, number>>
}

export const health = (send: Send, options: CallOptions): Promise<Health> =>
  call(send, 'GET', ['health'], 'read', options)

export const capabilities = (send: Send, options: CallOptions): Promise<Capabilities> =>
  call(send, 'GET', ['capabilities'], 'read', options)
