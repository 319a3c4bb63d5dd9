/** The platform takes no value beyond 2 MB, and a character can be three bytes of UTF-8. */
const MAX_CHARACTERS = 600_000

/**
 * A list as JSON texts for `json_each`, as few as can be, each short enough to be a parameter. Only lists of many
 * thousands, such as the matches of a query replay, need more than one.
 */
export function jsonLists(items: readonly unknown[]): string[] {
  const text = JSON.stringify(items)
  if (text.length <= MAX_CHARACTERS || items.length === 1) return [text]
  const middle = items.length >> 1
  return [...jsonLists(items.slice(0, middle)), ...jsonLists(items.slice(middle))]
}
