import type { Append, End, History, Reading, SeenEvent } from './history.ts'

/** Nothing acknowledged is lost or there twice, sequences are dense, batches whole, and every reading is of one log. */
export function checkLog({ appends, readings }: History, { log }: End): string[] {
  const places = Map.groupBy(log.flat(), ({ number }) => number)
  const sent = new Set(appends.flatMap(({ events }) => events.map(({ number }) => number)))
  return [
    ...log.flatMap(checkDensity),
    ...[...places.keys()].filter((number) => !sent.has(number)).map((number) => `event ${number} was never sent`),
    ...appends.flatMap((append) => checkAppend(append, places, log)),
    ...readings.flatMap((reading) => checkReading(reading, log[reading.partition]!)),
    ...checkOrder(readings, appends),
  ]
}

function checkDensity(events: readonly SeenEvent[], partition: number): string[] {
  const ids = new Set(events.map(({ id }) => id))
  return [
    ...events
      .filter((event, index) => event.sequence !== index + 1)
      .slice(0, 1)
      .map(({ sequence }) => `partition ${partition} is not dense at ${sequence}`),
    ...(ids.size === events.length ? [] : [`partition ${partition} has an id twice`]),
  ]
}

function checkAppend(append: Append, places: ReadonlyMap<number, SeenEvent[]>, log: End['log']): string[] {
  const found: string[] = []
  const counts = append.events.map(({ number }) => places.get(number)?.length ?? 0)
  for (const [index, { number, id }] of append.events.entries()) {
    const copies = places.get(number) ?? []
    const most = append.isSafe ? 1 : append.copies
    if (copies.length > most)
      found.push(`event ${number} is there ${copies.length} times, and was sent ${append.copies}`)
    if (append.seen !== null && copies.length === 0) found.push(`event ${number} was acknowledged and is lost`)
    const strayed = copies.some((copy) => copy.partition !== append.partition || (id !== null && copy.id !== id))
    if (strayed) found.push(`event ${number} is in another partition, or under another id, than it was sent to`)
    const seen = append.seen?.[index]
    if (seen === undefined) continue
    const there = log[seen.partition]?.[seen.sequence - 1]
    if (there?.number !== number || there.id !== seen.id) {
      found.push(`event ${number} was acknowledged at ${seen.partition}/${seen.sequence} and is not there`)
    }
  }
  if (new Set(counts).size > 1) found.push(`of a batch some events are there and others not: ${numbersOf(append)}`)
  if (append.isSafe && counts.every((count) => count === 1)) {
    const sequences = append.events.map(({ number }) => places.get(number)![0]!.sequence)
    const torn = sequences.some((sequence, index) => sequence !== sequences[0]! + index)
    if (torn) found.push(`a batch is torn: ${numbersOf(append)} are at ${sequences.join()}`)
  }
  return found
}

const numbersOf = ({ events }: Append): string => events.map(({ number }) => number).join()

function checkReading({ partition, events, highWatermark, selects }: Reading, log: readonly SeenEvent[]): string[] {
  const where = `a reading of partition ${partition} up to ${highWatermark}`
  const wrong = events.filter((event) => log[event.sequence - 1]?.number !== event.number)
  const found = wrong.map(({ sequence, number }) => `${where} shows event ${number} at ${sequence}, where it is not`)
  if (highWatermark > log.length) found.push(`${where} goes beyond the end ${log.length}`)
  if (selects !== null) {
    const expected = log.slice(0, highWatermark).filter(({ number }) => selects(number))
    const [must, is] = [expected, events].map((list) => list.map(({ sequence }) => sequence).join())
    if (must !== is) found.push(`${where} must show ${must} and shows ${is}`)
  }
  return found
}

/** What was answered before a reading was sent is in it: acknowledged events, and what an earlier reading has shown. */
function checkOrder(readings: readonly Reading[], appends: readonly Append[]): string[] {
  const shown = [
    ...readings.map(({ partition, answered, highWatermark }) => ({ partition, answered, highWatermark })),
    ...appends.map(({ partition, answered, seen }) => ({
      partition,
      answered,
      highWatermark: Math.max(0, ...(seen ?? []).map(({ sequence }) => sequence)),
    })),
  ]
  return readings.flatMap(({ partition, sent, highWatermark }) =>
    shown
      .filter((one) => one.partition === partition && one.answered !== null && one.answered < sent)
      .filter((one) => one.highWatermark > highWatermark)
      .slice(0, 1)
      .map((one) => `partition ${partition} ends at ${highWatermark} after it had been at ${one.highWatermark}`),
  )
}
