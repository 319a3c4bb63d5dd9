import { limits } from '../core/limits.ts'

/** Bodies of the greatest size that may be worked on at once: each takes three times its bytes on its way. */
const MAX_BYTES = 2 * limits.bodyBytes
/** Smaller ones are not counted, so that a few great ones that come slowly keep nobody else out. */
const SMALL_BYTES = 65_536

/** Room for the body of one request, from its first byte to the request's answer. */
export interface BodyRoom {
  /** Takes room for so many bytes more; false when there is none. */
  take(bytes: number): boolean
  /** Gives all of it back. */
  leave(): void
}

/** The room that an isolate has for bodies: its memory is shared by all requests that are under way in it. */
export class BodyRooms {
  #bytes = 0

  enter(): BodyRoom {
    let own = 0
    let counted = 0
    return {
      take: (bytes) => {
        own += bytes
        if (own <= SMALL_BYTES) return true
        const more = own - counted
        // One alone is always taken: nothing else would make room for it.
        if (this.#bytes > counted && this.#bytes + more > MAX_BYTES) return false
        counted += more
        this.#bytes += more
        return true
      },
      leave: () => {
        this.#bytes -= counted
        counted = 0
      },
    }
  }
}
