/** Groups indices of a request's items by the partition of each, in order. */
export function indicesByPartition(
  indices: readonly number[],
  partitionOf: (index: number) => number,
): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const index of indices) {
    const partition = partitionOf(index)
    const group = groups.get(partition)
    if (group === undefined) groups.set(partition, [index])
    else group.push(index)
  }
  return groups
}
