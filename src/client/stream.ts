import { call } from './call.ts'
import type { CallOptions, Send } from './request.ts'

/** A stream: a named, partitioned, append-only log. */
export interface Stream {
  readonly name: string
  readonly partitionCount: number
  readonly createdAt: string
}

/** A stream with what its partitions hold, by their numbers. */
export interface StreamInfo extends Stream {
  readonly partitions: Readonly<
    Record<string, { readonly firstSequence: number; readonly highWatermark: number; readonly bytes: number }>
  >
}

/** Which part of a list is wanted. */
export interface ListOptions extends CallOptions {
  /** How many at most, 1 to 1 000. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly after?: string | undefined
}

/** What cannot be undone has to be confirmed. */
export interface ConfirmOptions extends CallOptions {
  readonly confirm: true
}

/** Streams, as an operator handles them. */
export interface Streams {
  /**
   * Creates a stream of 1 to 256 partitions, 1 unless given. Their number never changes.
   *
   * Not repeated when there was no answer: `AmbiguousError`, after which `get` tells.
   *
   * @example await rheo.streams.create('orders', { partitionCount: 4 })
   * @throws AlreadyExistsError, InvalidNameError, InvalidPartitionCountError
   */
  create(name: string, options?: CallOptions & { readonly partitionCount?: number | undefined }): Promise<Stream>
  /** A page of the streams that the token covers, by name. `nextCursor` is null at the end. */
  list(options?: ListOptions): Promise<{ readonly streams: readonly Stream[]; readonly nextCursor: string | null }>
  /** @throws StreamNotFoundError */
  get(name: string, options?: CallOptions): Promise<StreamInfo>
  /** Deletes a stream with its events and groups, for ever. @throws StreamNotFoundError */
  delete(name: string, options: ConfirmOptions): Promise<void>
}

export const streamsOf = (send: Send): Streams => ({
  create: (name, options) => call(send, 'POST', ['streams'], 'refused', { ...options, name }),
  list: (options) => call(send, 'GET', ['streams'], 'read', options),
  get: (name, options) => call(send, 'GET', ['streams', name], 'read', options),
  delete: (name, options) => call(send, 'DELETE', ['streams', name], 'refused', options),
})
