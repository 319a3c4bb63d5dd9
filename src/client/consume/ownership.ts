import { errorOf } from '../errors.ts'
import type { GroupRef } from '../settle.ts'

/** Who consumes what in this process, over all clients of one server and tenant. */
const owned = new Set<string>()

/**
 * The groups that a client consumes: one consumer or lease stream for each (S10.2). Clients of the same server and tenant
 * share them; a client whose server cannot be told from another, as behind a service binding, has its own.
 */
export class Ownership {
  readonly #identity: string
  readonly #owned: Set<string>

  constructor(identity: string | null) {
    this.#identity = identity ?? ''
    this.#owned = identity === null ? new Set() : owned
  }

  /** Takes a group and gives what hands it back. @throws AlreadyStartedError */
  take({ stream, group }: GroupRef): () => void {
    const key = JSON.stringify([this.#identity, stream, group])
    if (this.#owned.has(key)) {
      const detail = `${stream}/${group} is consumed in this process`
      throw errorOf('already_started', { detail, data: { stream, group } })
    }
    this.#owned.add(key)
    let isHeld = true
    return () => {
      // Once: later it would take the group from whoever has it by then.
      if (isHeld) this.#owned.delete(key)
      isHeld = false
    }
  }
}
