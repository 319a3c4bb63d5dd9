/** What was probably meant by a word, as the end of a sentence; empty when no name is like it. */
export function didYouMean(word: string, names: readonly string[], prefix = ''): string {
  const most = Math.min(Math.max(Math.floor(word.length / 3), 1), 2)
  const [nearest] = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ name, distance }) => distance <= most && distance < name.length)
    .toSorted((one, other) => one.distance - other.distance)
  const begun = word.length < 3 ? undefined : names.find((name) => name.startsWith(word))
  const meant = begun ?? nearest?.name
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`
}

/** How many letters are to be put in, left out, changed, or swapped with their neighbour to make one word of another. */
function distanceOf(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1))
      if (isSwapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
