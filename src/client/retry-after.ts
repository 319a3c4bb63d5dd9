/** The pause that a `Retry-After` header asks for, in milliseconds; null without one that can be read. */
export function parseRetryAfter(value: string | null): number | null {
  if (value === null) return null
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000
  // A date stands in the server's wall clock, so the machine's is what it has to be held against.
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now())
}
