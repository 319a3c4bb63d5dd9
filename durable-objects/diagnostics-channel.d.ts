/** What is used of the module; the runtime has it with the flag `nodejs_compat`. */
declare module 'node:diagnostics_channel' {
  export interface Channel {
    publish(message: unknown): void
  }
  export function channel(name: string): Channel
  export function subscribe(name: string, listener: (message: unknown, name: string | symbol) => void): void
  export function unsubscribe(name: string, listener: (message: unknown, name: string | symbol) => void): boolean
}
