import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'

/** A fresh partition's tables take some 100 kB. */
const MAX_BYTES = 300_000

let local: Local

beforeAll(async () => {
  local = await startLocal({ vars: { RHEO_PARTITION_MAX_BYTES: `${MAX_BYTES}` } })
})

afterAll(() => local?.stop())

async function call(path: string, body?: object) {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`${local.url}/v1${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, never> }
}

test('a partition that has reached RHEO_PARTITION_MAX_BYTES answers 507, everything else and other partitions go on', async () => {
  expect((await call('/capabilities')).body.limits).toMatchObject({ partitionBytes: MAX_BYTES })
  await call('/streams', { name: 's', partitionCount: 2 })
  await call('/streams/s/groups', { name: 'g' })
  const append = (partition: number) =>
    call('/streams/s/events', { partition, payload: { padding: 'x'.repeat(20_000) } })
  let appended = 0
  let answer = await append(0)
  for (; answer.status === 201 && appended < 100; appended++) answer = await append(0)
  expect(answer).toMatchObject({ status: 507, body: { code: 'partition_full', partition: 0 } })
  expect(appended).toBeGreaterThan(3)
  expect((await append(1)).status).toBe(201)

  const { leases } = (await call('/streams/s/groups/g/fetch', { limit: 1_000 })).body as unknown as {
    leases: { leaseId: string }[]
  }
  expect(leases).toHaveLength(appended + 1)
  const settled = await call('/streams/s/groups/g/ack', { leases: leases.map(({ leaseId }) => ({ leaseId })) })
  expect(settled.body).toMatchObject({ settled: appended + 1, failed: 0 })
  expect((await call('/streams/s/groups/g/replay', { fromSequence: 0 })).body).toMatchObject({ reopened: appended + 1 })
  expect((await append(0)).status).toBe(507)
})
