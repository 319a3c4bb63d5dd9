const warned = new Set<string>()

/** Warns of a setting, once in the life of an isolate: a line for each request would bury all others. */
export function warnOnce(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  console.warn(text)
}
