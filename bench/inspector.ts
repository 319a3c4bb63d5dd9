/** What the isolate holds, in bytes: its heap, and what array buffers hold beside it. */
export type Heap = { used: number; buffers: number }

/** A line to the runtime's inspector. */
export type Inspector = {
  heap(): Promise<Heap>
  /** Asks for a collection, which comes when the isolate next runs: a request has to follow. */
  collect(): void
  close(): void
}

type Usage = { usedSize: number; backingStorageSize: number }

/** Connects to the Worker's isolate, in which the local runtime has its objects as well. */
export async function openInspector(url: URL): Promise<Inspector> {
  const isolates = (await (await fetch(`http://${url.host}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const worker = isolates.find(({ id }) => id.startsWith('core:user:'))!
  const socket = new WebSocket(worker.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`${worker.webSocketDebuggerUrl} takes no connection`))
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
    waiting.get(id)?.(result)
    waiting.delete(id)
  }
  let sent = 0
  const send = (method: string) => socket.send(JSON.stringify({ id: ++sent, method, params: {} }))
  return {
    heap: () =>
      new Promise((resolve) => {
        waiting.set(sent + 1, (result) => {
          const { usedSize, backingStorageSize } = result as Usage
          resolve({ used: usedSize, buffers: backingStorageSize })
        })
        send('Runtime.getHeapUsage')
      }),
    collect: () => send('HeapProfiler.collectGarbage'),
    close: () => socket.close(),
  }
}
