import type { StreamEvent } from '../client/index.ts'
import { type Cell, cut, list, tableOr } from './table.ts'

/** `partition/sequence`, as events are named to people. */
export const placeOf = (event: { readonly partition: number; readonly sequence: number }): string =>
  `${event.partition}/${event.sequence}`

const heads = ['PLACE', 'TIMESTAMP', 'TYPE', 'KEY', 'ID', 'PAYLOAD']

const rowOf = (event: StreamEvent): Cell[] => [
  placeOf(event),
  event.timestamp,
  event.type,
  event.key,
  event.id,
  cut(JSON.stringify(event.payload), 60),
]

export const eventTable = (events: readonly StreamEvent[]): string => tableOr('no events', heads, events.map(rowOf))

/** An event with everything in it. */
export const eventList = (event: StreamEvent): string =>
  list([
    ['id', event.id],
    ['stream', event.stream],
    ['place', placeOf(event)],
    ['timestamp', event.timestamp],
    ['type', event.type],
    ['key', event.key],
    ['payload', JSON.stringify(event.payload)],
    ['metadata', JSON.stringify(event.metadata)],
  ])
