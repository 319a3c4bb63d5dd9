/**
 * Names of what a fetch took. A claim's receipt is `<partition>.<first>.<last>.<count>.<token>`, its leases are
 * `<partition>.<sequence>.<token>`: the partition routes a settle, the sequences find the rows, the count tells how
 * many are lost, the token of 128 random bits fences. Callers treat both as opaque; who changes a count changes only
 * what is said to be lost.
 */
export interface LeaseName {
  readonly partition: number
  readonly sequence: number
  readonly token: string
}

export interface ReceiptName {
  readonly partition: number
  readonly first: number
  readonly last: number
  /** How many deliveries the claim took. */
  readonly count: number
  readonly token: string
}

const LEASE = /^(0|[1-9]\d{0,2})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{22})$/
const RECEIPT = /^(0|[1-9]\d{0,2})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([1-9]\d{0,3})\.([A-Za-z0-9_-]{22})$/

export const formatLeaseId = (name: LeaseName): string => `${name.partition}.${name.sequence}.${name.token}`

export const formatReceipt = (name: ReceiptName): string =>
  `${name.partition}.${name.first}.${name.last}.${name.count}.${name.token}`

/** What a lease id says; null when it cannot be one. */
export function parseLeaseId(text: string): LeaseName | null {
  const match = LEASE.exec(text)
  return match === null ? null : { partition: Number(match[1]), sequence: Number(match[2]), token: match[3]! }
}

/** What a receipt says; null when it cannot be one. */
export function parseReceipt(text: string): ReceiptName | null {
  const match = RECEIPT.exec(text)
  if (match === null) return null
  const [partition, first, last, count] = match.slice(1, 5).map(Number) as [number, number, number, number]
  return { partition, first, last, count, token: match[5]! }
}

/** Whether a receipt is that of the claim a lease belongs to. */
export const receiptCovers = (receipt: ReceiptName, lease: LeaseName): boolean =>
  receipt.token === lease.token &&
  receipt.partition === lease.partition &&
  receipt.first <= lease.sequence &&
  lease.sequence <= receipt.last

/** The receipt of a claim that was taken from one partition in several turns, under one token. */
export const joinReceipts = (a: ReceiptName, b: ReceiptName): ReceiptName => ({
  ...a,
  first: Math.min(a.first, b.first),
  last: Math.max(a.last, b.last),
  count: a.count + b.count,
})
