import type { Socket } from '../../durable-objects/watchers.ts'
import { GONE } from '../../durable-objects/watchers.ts'
import type { Watcher } from '../core/backend.ts'

/** What an object holds of a watcher in the same process: telling it is a call. */
export class LocalSocket implements Socket {
  readonly #watcher: Watcher
  /** Called when either side has closed. */
  onClose: () => void = () => {}

  constructor(watcher: Watcher) {
    this.#watcher = watcher
  }

  send(text: string): void {
    this.#watcher.told(Number(text))
  }

  /** The object closes. */
  close(code?: number): void {
    this.onClose()
    this.#watcher.ended(code === GONE)
  }
}
