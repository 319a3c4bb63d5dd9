const whole = new Intl.NumberFormat('en-US')
const short = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** `12,345` */
export const number = (value: number): string => whole.format(value)

/** `1 event`, `2 events` */
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`

/** `1.5 MB`, by thousands. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  return `${short.format(value / 1000 ** power)} ${units[power]}`
}

/** Events a second: `0`, `0.2`, `13`, `1,250`. */
export function perSecond(value: number): string {
  if (value === 0) return '0'
  return value < 10 ? String(Math.max(0.1, Math.round(value * 10) / 10)) : whole.format(Math.round(value))
}

/** A length of time in its two largest units: `4 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 1) return '0 s'
  const parts: string[] = []
  let left = seconds
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
  }
  return parts.slice(0, 2).join(' ')
}

/** `in 20 s`, `5 s ago`. */
export const fromNow = (time: string, now: number): string => {
  const ms = Date.parse(time) - now
  return ms >= 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`
}

/** The clock's time in the reader's own zone: `12:03:05`. */
export const clockTime = (ms: number): string => clock.format(ms)

/** A time as the server wrote it, without the letters between: `2026-03-15 12:00:00.000`. */
export const stamp = (time: string): string => time.replace('T', ' ').replace('Z', '')

/** A moment to the minute, in UTC: `2026-03-15 12:00`. */
export const minute = (ms: number): string => stamp(new Date(ms).toISOString()).slice(0, 16)

/** JSON for people. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
