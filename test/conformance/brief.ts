/** A value as it can stand in the name of a test: its JSON text, cut where it gets long. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`
}
