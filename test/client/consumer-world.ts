import { expect } from 'vitest'
import {
  type ConsumeEvent,
  type Consumer,
  type ConsumerOptions,
  Rheo,
  type RheoOptions,
} from '../../src/client/index.ts'
import { FakeServer } from './fake-server.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A virtual clock, a fake server with one group, and a client of it. */
export function newWorld(options: RheoOptions = {}) {
  const clock = new VirtualClock()
  const server = new FakeServer(clock)
  const rheo = new Rheo({ fetch: server.fetch, clock, ...options })
  const events: ConsumeEvent[] = []
  const consume = (
    consumer: Partial<ConsumerOptions<{ n: number }>> & Pick<ConsumerOptions<{ n: number }>, 'handler'>,
  ): Promise<Consumer> => {
    return rheo.consumer({ stream: 's', group: 'g', onEvent: (event) => events.push(event), ...consumer })
  }
  /** The events of one type. */
  const told = <T extends ConsumeEvent['type']>(type: T) =>
    events.filter((event): event is Extract<ConsumeEvent, { type: T }> => event.type === type)
  return { clock, server, rheo, events, told, consume }
}

/** Ends a consumer on a virtual clock, and sees that it leaves no timer behind. */
export async function drained(clock: VirtualClock, consumer: Consumer): Promise<void> {
  const drain = consumer.drain(60_000)
  await clock.advance(1_000)
  expect(await drain).toEqual({ unsettled: 0 })
  await consumer.closed
  expect(clock.timers).toBe(0)
}

/** A promise with its ends outside. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
