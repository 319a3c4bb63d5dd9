import type { Backend, Woken } from '../src/core/backend.ts'
import type { Env } from './env.ts'
import { catalogStub, partitionStub } from './stubs.ts'
import type { WaitRequest } from './waiters.ts'

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
  catalog: (tenant, command, testNowMs) => catalogStub(env, tenant).run(tenant, command, testNowMs),
})
