import { channel } from 'node:diagnostics_channel'
import type { Publish } from '../src/core/happening.ts'

/**
 * Publishes on the channel `rheo.` and the name of the event, such as `rheo.append`. A Tail Worker is handed all that is
 * published although it is no subscriber here, so nothing is held back when there are none.
 */
export const publish: Publish = (happening) => {
  try {
    channel(`rheo.${happening.event}`).publish(happening)
  } catch (fault) {
    console.error(`a subscriber of rheo.${happening.event} failed`, fault)
  }
}
