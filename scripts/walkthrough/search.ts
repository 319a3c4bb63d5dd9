import { type Api, type Json, promised } from '../demo/api.ts'
import { sequenceOf } from '../demo/calls.ts'
import { heading, say, table } from '../demo/print.ts'
import { range } from './groups.ts'

const found = (body: Json): Json => ({ events: body.events.map(sequenceOf) })

/** Finds events by payload, by sequence and by lineage. */
export async function searchHistory(api: Api, stream: string): Promise<void> {
  heading(4, 'Search: the log is no firehose')
  say('Events stay and can be found, acked or not: by fields of the payload …')
  const search = (body: Json): Promise<Json> => api.call('POST', `${stream}/query`, { body, expect: 200, show: found })
  const eur = await search({ where: { type: 'curve_update', currency: 'EUR', curve: 'EUR-EURIBOR-6M' }, limit: 10 })
  table(
    ['sequence', 'currency', 'price'],
    eur.events.map(({ sequence, payload }: Json) => [sequence, payload.currency, payload.price]),
  )
  const everyThird = range(1, 10).map((n) => 3 * n)
  promised('every third event is of the EUR curve', eur.events.map(sequenceOf), everyThird)
  const prices = everyThird.map((n) => Number((1 + n * 0.07).toFixed(4)))
  promised(
    'with the prices as they were written',
    eur.events.map((event: Json) => event.payload.price),
    prices,
  )

  say('', '… by sequence …')
  const middle = await search({ afterSequence: 10, untilSequence: 15 })
  promised('after 10, until 15', middle.events.map(sequenceOf), range(11, 15))

  say('', '… and by lineage.')
  const correlated = await search({ where: { correlation_id: 'corr-1' }, limit: 10 })
  table(
    ['sequence', 'currency', 'causation_id'],
    correlated.events.map(({ sequence, payload, metadata }: Json) => [
      sequence,
      payload.currency,
      metadata.causation_id,
    ]),
  )
  const causes = correlated.events.map((event: Json) => event.metadata.causation_id)
  promised('corr-1 has caused five', causes, ['cmd-1', 'cmd-8', 'cmd-15', 'cmd-22', 'cmd-29'])
}

/** Walks two pages by their cursor, then all of it as a stream. */
export async function walkPages(api: Api, stream: string): Promise<void> {
  heading(5, 'Pages and streams')
  say('A page carries a cursor, which fixes what belongs to the listing: events to come will not enter it.')
  const where = { type: 'curve_update' }
  const first = await api.call('POST', `${stream}/query`, {
    body: { where, limit: 8 },
    expect: 200,
    show(body) {
      api.name(body.nextCursor, 'cursor after 8')
      return { ...found(body), nextCursor: body.nextCursor }
    },
  })
  promised('the first page holds 1 to 8', first.events.map(sequenceOf), range(1, 8))
  const second = await api.call('POST', `${stream}/query`, {
    body: { where, limit: 8, cursor: first.nextCursor },
    expect: 200,
    show: found,
  })
  promised('the second 9 to 16', second.events.map(sequenceOf), range(9, 16))

  say('', 'With Accept: application/x-ndjson all matches come in one answer, one a line.')
  const lines = await api.call('POST', `${stream}/query`, {
    body: { where },
    lines: true,
    expect: 200,
    show: (events) => events.map(sequenceOf),
  })
  promised('thirty lines, from 1 to 30', lines.map(sequenceOf), range(1, 30))
}
