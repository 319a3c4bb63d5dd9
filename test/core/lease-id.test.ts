import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatLeaseId,
  formatReceipt,
  joinReceipts,
  parseLeaseId,
  parseReceipt,
  receiptCovers,
} from '../../src/core/lease-id.ts'
import { limits } from '../../src/core/limits.ts'

const partition = fc.nat(limits.partitions - 1)
const sequence = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const token = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .slice(0, 22),
)
const lease = fc.record({ partition, sequence, token })
const count = fc.integer({ min: 1, max: limits.fetchEvents })
const receipt = fc.record({ partition, first: sequence, last: sequence, count, token })

const TOKEN = 'abcdefghijklmnopqrstuv'

describe('S3.5 lease ids and receipts', () => {
  it('say by themselves which partition and which deliveries they belong to', () => {
    fc.assert(
      fc.property(lease, receipt, (name, claim) => {
        expect(parseLeaseId(formatLeaseId(name))).toEqual(name)
        expect(parseReceipt(formatReceipt(claim))).toEqual(claim)
      }),
    )
  })

  it('are never taken for one another', () => {
    fc.assert(
      fc.property(lease, receipt, (name, claim) => {
        expect(parseReceipt(formatLeaseId(name))).toBe(null)
        expect(parseLeaseId(formatReceipt(claim))).toBe(null)
      }),
    )
  })

  it('fit into the promised length at their longest', () => {
    const last = Number.MAX_SAFE_INTEGER
    const longest = formatReceipt({
      partition: limits.partitions - 1,
      first: last,
      last,
      count: limits.fetchEvents,
      token: TOKEN,
    })
    expect(longest.length).toBeLessThanOrEqual(limits.leaseIdLength)
  })

  it.each([
    '',
    'x',
    `0.1.${TOKEN}x`,
    `0.1.${TOKEN.slice(1)}`,
    `00.1.${TOKEN}`,
    `0.01.${TOKEN}`,
    `0.0.${TOKEN}`,
    `-1.1.${TOKEN}`,
    `0.1e3.${TOKEN}`,
    `1000.1.${TOKEN}`,
    `0.1.${TOKEN}\n`,
    ` 0.1.${TOKEN}`,
    `0.1.${TOKEN.slice(1)}=`,
  ])('any other text is none: %j', (text) => {
    expect(parseLeaseId(text)).toBe(null)
    expect(parseReceipt(text)).toBe(null)
  })

  it('S4.1 a receipt is that of a lease only with its token, its partition and its sequence inside', () => {
    const claim = { partition: 3, first: 5, last: 9, count: 4, token: TOKEN }
    for (const sequence of [5, 7, 9]) expect(receiptCovers(claim, { partition: 3, sequence, token: TOKEN })).toBe(true)
    for (const sequence of [4, 10]) expect(receiptCovers(claim, { partition: 3, sequence, token: TOKEN })).toBe(false)
    expect(receiptCovers(claim, { partition: 2, sequence: 7, token: TOKEN })).toBe(false)
    expect(receiptCovers(claim, { partition: 3, sequence: 7, token: TOKEN.replace('a', 'A') })).toBe(false)
  })

  it('S3.5 a claim taken in several turns has one receipt, which covers the leases of all of them', () => {
    const one = { partition: 3, first: 5, last: 9, count: 4, token: TOKEN }
    const two = { partition: 3, first: 12, last: 12, count: 1, token: TOKEN }
    expect(joinReceipts(one, two)).toEqual({ partition: 3, first: 5, last: 12, count: 5, token: TOKEN })
    expect(joinReceipts(two, one)).toEqual(joinReceipts(one, two))
  })
})
