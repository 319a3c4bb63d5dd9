import type { Backend, Woken } from '../src/core/backend.ts'
import type { Env } from './env.ts'
import { catalogStub, partitionStub } from './stubs.ts'
import type { WaitRequest } from './waiters.ts'
import { GONE, HIGH_WATERMARK, WATCH, type WatchRequest } from './watchers.ts'

/** The objects behind the edge as Durable Objects. */
export const createBackend = (env: Env): Backend => ({
  partition: (address, command, testNowMs) => partitionStub(env, address).run(address, command, testNowMs),
  async wait(address, group, waitMs, testNowMs, signal) {
    // A fetch, not a remote method: its signal tells the partition when the caller has gone.
    const body: WaitRequest = { address, group, waitMs, testNowMs }
    const response = await partitionStub(env, address).fetch('https://partition/wait', {
      method: 'POST',
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) throw new Error(`waiting failed with ${response.status}`)
    return (await response.text()) as Woken
  },
  async watch(address, testNowMs, watcher) {
    const watched: WatchRequest = { address, testNowMs }
    const response = await partitionStub(env, address).fetch('https://partition/watch', {
      headers: { Upgrade: 'websocket', [WATCH]: JSON.stringify(watched) },
    })
    const socket = response.webSocket
    if (socket === null) return (await response.text()) as 'moved' | 'full'
    let isOpen = true
    const end = (isGone: boolean): void => {
      if (isOpen) watcher.ended(isGone)
      isOpen = false
    }
    socket.addEventListener('message', ({ data }) => watcher.told(Number(data)))
    socket.addEventListener('close', ({ code }) => end(code === GONE))
    socket.addEventListener('error', () => end(false))
    socket.accept()
    return {
      highWatermark: Number(response.headers.get(HIGH_WATERMARK)),
      close() {
        isOpen = false
        socket.close()
      },
    }
  },
  catalog: (tenant, command, testNowMs) => catalogStub(env, tenant).run(tenant, command, testNowMs),
})
