import { expect, test } from 'vitest'
import { auditGroup, auditLog, type Log } from './audit.ts'
import { createJournal } from './journal.ts'
import type { DeadLetter, Lease, StreamEvent } from './wire.ts'

/*
 * An audit that finds nothing proves something only if it would find something.
 */

const event = (number: number, sequence = number): StreamEvent => ({
  ...{ id: `e${number}`, stream: 's', partition: 0, sequence, type: null, key: null },
  ...{ timestamp: '2026-01-01T00:00:00.000Z', payload: { number }, metadata: {} },
})

const lease = (sequence: number, attempt: number): Lease => ({
  ...{ leaseId: `${sequence}.${attempt}`, receipt: 'r', group: 'g', partition: 0, sequence, attempt },
  event: event(sequence),
})

/** Three events in one acknowledged batch, each leased and acked once. */
function soundRun() {
  const journal = createJournal(['g'])
  const log: Log = [[event(1), event(2), event(3)]]
  const events = [1, 2, 3].map((number) => ({ payload: { number } }))
  journal.appends.push({ events, outcome: 'in', answered: [event(1), event(2), event(3)], wasFound: false })
  for (const sequence of [1, 2, 3]) {
    const delivery = journal.delivery(lease(sequence, 1))
    delivery.leased.push({ lease: lease(sequence, 1), sentAt: journal.step() })
    delivery.acked.push({ leaseId: `${sequence}.1`, attempt: 1, answeredAt: journal.step() })
  }
  return { journal, log, deadLetters: [] as DeadLetter[], second: journal.delivery(lease(2, 1)) }
}

type Run = ReturnType<typeof soundRun>

function audit({ journal, log, deadLetters }: Run): string[] {
  return [...auditLog(journal, log), ...auditGroup('g', journal.groups.get('g')!, log, deadLetters)]
}

test('the audit finds nothing in a sound run', () => {
  expect(audit(soundRun())).toEqual([])
})

const buried: DeadLetter = { partition: 0, sequence: 2, eventId: 'e2', cause: 'rejected', attempt: 1 }

test.each<[what: string, spoil: (run: Run) => void, finding: RegExp]>([
  ['an acknowledged event that is missing', ({ log }) => void log[0]!.pop(), /event 3 is missing/],
  ['an event that is there twice', ({ log }) => void log[0]!.push(event(2, 4)), /event 2 is there 2 times/],
  ['an event that nobody sent', ({ log }) => void log[0]!.push(event(9, 4)), /event 9 was never sent/],
  ['a gap in the sequences', ({ log }) => void log[0]!.splice(1, 1), /not dense/],
  [
    'an event that has changed',
    ({ log }) => void Object.assign(log[0]![1]!, { key: 'other' }),
    /not what was acknowledged/,
  ],
  [
    'half a batch',
    ({ journal, log }) => {
      Object.assign(journal.appends[0]!, { outcome: 'maybe', answered: [] })
      log[0]!.pop()
    },
    /2 of 3 events of a batch/,
  ],
  [
    'a delivery after its ack',
    ({ journal, second }) => void second.leased.push({ lease: lease(2, 2), sentAt: journal.step() }),
    /0\/2 was delivered again \(attempt 2\) after its attempt 1 was acked/,
  ],
  [
    'a later attempt than the acked one, whenever it was seen',
    ({ second }) => void second.leased.unshift({ lease: lease(2, 2), sentAt: 0 }),
    /delivered again/,
  ],
  [
    'two leases of one attempt',
    ({ second }) => void second.leased.push({ lease: { ...lease(2, 1), leaseId: 'x' }, sentAt: 0 }),
    /twice at one attempt/,
  ],
  ['two acks', ({ second }) => void second.acked.push(second.acked[0]!), /acked 2 times/],
  ['a delivery that nobody settled', ({ second }) => void second.acked.pop(), /neither acked nor a dead letter/],
  ['an acked dead letter', ({ deadLetters }) => void deadLetters.push(buried), /acked and is a dead letter/],
])('the audit finds %s', (_, spoil, finding) => {
  const run = soundRun()
  spoil(run)
  expect(audit(run).join('\n')).toMatch(finding)
})
