import type { Rheo as Client, StreamEvent } from 'rheo-edge/client'

/* What the fragments on pages leave to the reader. */
declare global {
  interface Response {
    // biome-ignore lint/suspicious/noExplicitAny: as it is in browsers
    json(): Promise<any>
  }
  const rheo: Client
  const url: string
  const event: StreamEvent<{ total: number; order: string }>
  const signal: AbortSignal
  const sqs: {
    receiveMessage(input: object): Promise<{ Messages?: { Body: string; ReceiptHandle: string }[] }>
    deleteMessage(input: object): Promise<void>
  }
  const QueueUrl: string
  function handle(event: unknown, attempt?: number): Promise<void>
  function charge(event: unknown): Promise<boolean>
  function tokenFor(tenant: string): Promise<string>
  function show(event: StreamEvent): void
  function loadPosition(): Promise<string | undefined>
  function savePosition(position: string | null): Promise<void>
}
