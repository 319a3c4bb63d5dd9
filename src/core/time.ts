const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** Milliseconds since 1970 of an RFC 3339 time, finer digits cut off; null when it is none. */
export function parseTime(text: string): number | null {
  const match = RFC_3339.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const parts = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number]
  const date = new Date(0)
  date.setUTCFullYear(parts[0], parts[1] - 1, parts[2])
  date.setUTCHours(parts[3], parts[4], parts[5], millisecond)
  const isReal =
    date.getUTCMonth() === parts[1] - 1 &&
    date.getUTCDate() === parts[2] &&
    parts[3] < 24 &&
    parts[4] < 60 &&
    parts[5] < 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60
  if (!isReal) return null
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  const time = date.getTime() + (sign === '-' ? offsetMs : -offsetMs)
  // A time that an offset moves out of the years 0000 to 9999 has no RFC 3339 form in UTC.
  return time >= FIRST_TIME && time <= LAST_TIME ? time : null
}

const FIRST_TIME = -62_167_219_200_000
const LAST_TIME = 253_402_300_799_999

let lastMs = Number.NaN
let lastText = ''

/** The wire's form of a time: RFC 3339 in UTC with milliseconds. Events of one row are often asked for the same one. */
export function formatTime(timeMs: number): string {
  if (timeMs !== lastMs) {
    lastText = new Date(timeMs).toISOString()
    lastMs = timeMs
  }
  return lastText
}
