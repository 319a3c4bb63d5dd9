import type { JsonObject, StreamEvent } from './event.ts'

/** A lease: the exclusive right to settle one delivery until `expiresAt`. */
export interface Lease<P = JsonObject> {
  /** The fencing token: only the current one settles. */
  readonly leaseId: string
  /** Names what one fetch took from one partition. */
  readonly receipt: string
  readonly stream: string
  readonly group: string
  readonly partition: number
  readonly sequence: number
  readonly eventId: string
  /** 1 on the first lease of the delivery. */
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAt: string
  readonly expiresAt: string
  readonly event: StreamEvent<P>
}

/** What names a lease in a call; a whole lease will do. */
export type LeaseRef = Pick<Lease, 'stream' | 'group' | 'leaseId'> & { readonly receipt?: string | undefined }

/** How long a lease was granted for, in milliseconds: both times are the server's, so clocks do not matter. */
export const lengthOf = (lease: Pick<Lease, 'leasedAt' | 'expiresAt'>): number =>
  Date.parse(lease.expiresAt) - Date.parse(lease.leasedAt)
