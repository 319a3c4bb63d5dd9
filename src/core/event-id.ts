/**
 * Generated event ids: `evt_<uid of the stream>_<partition>_<sequence>`. A position is taken once, and a stream's uid
 * never returns, so such an id is unique for ever and finds its event without an index.
 */
export const generateEventId = (uid: string, partition: number, sequence: number): string =>
  `evt_${uid}_${partition}_${sequence}`

const GENERATED = /^evt_([0-9a-z]+)_(0|[1-9]\d{0,2})_([1-9]\d{0,15})$/

/** The position that an id of the generated form names in this stream; null for any other text. */
export function parseEventId(id: string, uid: string): { partition: number; sequence: number } | null {
  const match = GENERATED.exec(id)
  if (match === null || match[1] !== uid) return null
  return { partition: Number(match[2]), sequence: Number(match[3]) }
}
