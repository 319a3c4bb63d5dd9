import { describe, expect, it } from 'vitest'
import { type DeliveryEvent, type DeliveryState, transition, transitions } from '../../src/core/delivery.ts'

const states: DeliveryState[] = ['undelivered', 'available', 'delayed', 'leased', 'acked', 'rejected', 'skipped']
const events: DeliveryEvent[] = ['lease', 'ack', 'retry', 'postpone', 'bury', 'renew', 'release', 'becomeDue', 'reopen']

/** All that may happen, by the words of S3.4 and S4.4 to S4.7. */
const allowed = new Map<string, DeliveryState>([
  ['undelivered lease', 'leased'],
  ['available lease', 'leased'],
  ['leased ack', 'acked'],
  ['leased retry', 'available'],
  ['leased postpone', 'delayed'],
  ['leased bury', 'rejected'],
  ['leased renew', 'leased'],
  ['leased release', 'available'],
  ['delayed becomeDue', 'available'],
])

describe('the states of a delivery', () => {
  it('has an entry for every state and every event', () => {
    expect(Object.keys(transitions).sort()).toEqual([...states].sort())
    for (const state of states) expect(Object.keys(transitions[state]).sort()).toEqual([...events].sort())
  })

  it('S4.1 allows what a lease allows, and nothing without one', () => {
    for (const state of states) {
      for (const event of events.filter((one) => one !== 'reopen')) {
        expect(transitions[state][event], `${state} ${event}`).toBe(allowed.get(`${state} ${event}`) ?? null)
      }
    }
  })

  it('S5.1 reopens every delivery that has been offered or skipped, and none that has not', () => {
    for (const state of states) {
      expect(transitions[state].reopen, state).toBe(state === 'undelivered' ? null : 'available')
    }
  })

  it('S4.5 leaves a terminal state by reopening only', () => {
    for (const state of ['acked', 'rejected', 'skipped'] as const) {
      expect(events.filter((event) => transitions[state][event] !== null)).toEqual(['reopen'])
    }
  })

  it('throws where the table refuses, for that is a fault of the caller', () => {
    expect(transition('leased', 'ack')).toBe('acked')
    expect(() => transition('acked', 'lease')).toThrow('a delivery that is acked cannot lease')
  })
})
