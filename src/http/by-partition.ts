/** What belongs to partitions, as the wire shows it: an object keyed by "0", "1"… */
export const byPartition = <T>(partitions: readonly number[], values: readonly T[]): Record<string, T> =>
  Object.fromEntries(partitions.map((partition, index) => [partition, values[index]!]))
