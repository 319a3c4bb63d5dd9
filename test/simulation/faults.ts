/** How likely each fault is: per message, per command, or per look of the one who makes trouble. */
export interface Faults {
  loseRequest: number
  loseAnswer: number
  duplicate: number
  /** A message that takes seconds, and so overtakes or is overtaken. */
  dawdle: number
  /** An exception at some statement of a command. */
  throwAtStatement: number
  loseAlarm: number
  repeatAlarm: number
  mistimeAlarm: number
  /** Between commands: an object loses its memory. */
  evict: number
  /** Of the trouble-maker: each time it looks. */
  jumpForward: number
  stepBack: number
  standStill: number
  fillStorage: number
  /** Of consumers: they forget what they hold, or stand still with it. */
  crash: number
  freeze: number
}

export const noFaults: Faults = {
  loseRequest: 0,
  loseAnswer: 0,
  duplicate: 0,
  dawdle: 0,
  throwAtStatement: 0,
  loseAlarm: 0,
  repeatAlarm: 0,
  mistimeAlarm: 0,
  evict: 0,
  jumpForward: 0,
  stepBack: 0,
  standStill: 0,
  fillStorage: 0,
  crash: 0,
  freeze: 0,
}

export const allFaults: Faults = {
  loseRequest: 0.04,
  loseAnswer: 0.05,
  duplicate: 0.04,
  dawdle: 0.05,
  throwAtStatement: 0.02,
  loseAlarm: 0.1,
  repeatAlarm: 0.1,
  mistimeAlarm: 0.2,
  evict: 0.03,
  jumpForward: 0.15,
  stepBack: 0.15,
  standStill: 0.15,
  fillStorage: 0.1,
  crash: 0.05,
  freeze: 0.05,
}
