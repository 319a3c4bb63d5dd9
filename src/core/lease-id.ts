/**
 * Names of what a fetch took. A claim's receipt is `<partition>.<first>.<last>.<token>`, its leases are
 * `<partition>.<sequence>.<token>`: the partition routes a settle, the sequences find the rows, the token of 128
 * random bits fences. Callers treat both as opaque.
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
  readonly token: string
}

const LEASE = /^(0|[1-9]\d{0,2})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{22})$/
const RECEIPT = /^(0|[1-9]\d{0,2})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{22})$/

export const formatLeaseId = (name: LeaseName): string => `${name.partition}.${name.sequence}.${name.token}`

export const formatReceipt = (name: ReceiptName): string => `${name.partition}.${name.first}.${name.last}.${name.token}`

/** What a lease id says; null when it cannot be one. */
export function parseLeaseId(text: string): LeaseName | null {
  const match = LEASE.exec(text)
  return match === null ? null : { partition: Number(match[1]), sequence: Number(match[2]), token: match[3]! }
}

/** What a receipt says; null when it cannot be one. */
export function parseReceipt(text: string): ReceiptName | null {
  const match = RECEIPT.exec(text)
  if (match === null) return null
  return { partition: Number(match[1]), first: Number(match[2]), last: Number(match[3]), token: match[4]! }
}

/** Whether a receipt is that of the claim a lease belongs to. */
export const receiptCovers = (receipt: ReceiptName, lease: LeaseName): boolean =>
  receipt.token === lease.token &&
  receipt.partition === lease.partition &&
  receipt.first <= lease.sequence &&
  lease.sequence <= receipt.last
