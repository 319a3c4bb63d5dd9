import { type Channel, channel } from 'node:diagnostics_channel'
import type { Publish } from '../src/core/happening.ts'

/**
 * Publishes on the channel `rheo.` and the name of the event, such as `rheo.append`. A Tail Worker is handed all that is
 * published although it is no subscriber here, so nothing is held back when there are none.
 */
export const publish: Publish = (happening) => {
  try {
    channelOf(happening.event).publish(happening)
  } catch (fault) {
    console.error(`a subscriber of rheo.${happening.event} failed`, fault)
  }
}

/** There are as many as events have names; to ask the runtime for one each time costs as much as to publish. */
const channels = new Map<string, Channel>()

function channelOf(event: string): Channel {
  const known = channels.get(event)
  if (known !== undefined) return known
  const made = channel(`rheo.${event}`)
  channels.set(event, made)
  return made
}
