/** What a log must not hold, by its shape: a token, the id of a lease, a receipt. */
const shapes = [/eyJ[\w-]{8,}\.[\w-]*/g, /\b\d{1,3}(\.\d+){1,3}\.[\w-]{22}\b/g]

/** The secrets that a text gives away: those that are named, and what looks like one. */
export const secretsIn = (text: string, ...named: readonly string[]): string[] => [
  ...named.filter((secret) => text.includes(secret)),
  ...shapes.flatMap((shape) => text.match(shape) ?? []),
]
