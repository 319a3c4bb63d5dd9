import * as v from 'valibot'
import { ok, type Result } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import type { Outcome, SettleClaims, SettleItem } from '../../core/partition/commands.ts'
import { check, invalidRequest, type Schema } from './check.ts'
import { type FetchRequest, fetchOf, unwaitingFetch } from './fetch.ts'
import { integer, list, object, text } from './values.ts'

/** What a call of a settling verb brings: one lease, many leases, or whole claims. */
export type SettleRequest =
  | { readonly form: 'one'; readonly item: SettleItem }
  | { readonly form: 'many'; readonly items: readonly SettleItem[] }
  | { readonly form: 'claims'; readonly claims: Claims }

/** Whole claims to be settled alike. */
export type Claims = Omit<SettleClaims, 'group'>

/** What `settle` brings: outcomes of its own for each lease, and perhaps a fetch. */
export interface SettleAndFetch {
  readonly items: readonly SettleItem[]
  readonly fetch: FetchRequest | null
}

/** Any text may be asked about; only its length is bounded. */
const token = v.pipe(
  v.string('must be a string'),
  v.maxLength(limits.leaseIdLength, `must be at most ${limits.leaseIdLength} characters`),
)
const ignored = v.optional(v.unknown())

/** A lease as a fetch gave it may be pasted into a settle call: what does not settle it is ignored. */
const leaseFields = {
  leaseId: token,
  receipt: v.optional(token),
  stream: ignored,
  group: ignored,
  partition: ignored,
  sequence: ignored,
  eventId: ignored,
  attempt: ignored,
  consumerId: ignored,
  leasedAt: ignored,
  expiresAt: ignored,
  event: ignored,
}

const reason = v.optional(text(0, limits.reasonLength))
const delayMs = v.optional(integer(0, limits.delayMs))

/** What each verb takes beside the lease. */
const verbFields = {
  ack: {},
  nack: { reason, delayMs },
  reject: { reason },
  renew: { leaseMs: v.optional(integer(limits.leaseMsMin, limits.leaseMs)) },
  release: {},
}

/** The fields of a settled lease, of whatever verb. */
interface ItemFields {
  leaseId: string
  receipt?: string | undefined
  reason?: string | undefined
  delayMs?: number | undefined
  leaseMs?: number | undefined
}

const itemOf = (outcome: Outcome, fields: ItemFields): SettleItem => ({
  leaseId: fields.leaseId,
  receipt: fields.receipt ?? null,
  outcome,
  reason: fields.reason ?? null,
  delayMs: fields.delayMs ?? null,
  leaseMs: fields.leaseMs ?? null,
})

/** The forms of a verb's body; renew and release take no claims. */
export function settleForms(verb: Outcome) {
  const one = object({ ...leaseFields, ...verbFields[verb] }) as Schema<ItemFields>
  const many = object({ leases: list(one, 1, limits.settleItems) })
  const claims = object({ receipts: list(token, 1, limits.settleItems), ...verbFields[verb] }) as Schema<
    { receipts: string[] } & Pick<ItemFields, 'reason' | 'delayMs'>
  >
  return { one, many, claims }
}

/** Builds the check of a verb's body. */
export function settleCheck(verb: Outcome): (input: unknown) => Result<SettleRequest> {
  const { one, many, claims } = settleForms(verb)
  const claimed = verb === 'renew' || verb === 'release' ? null : verb
  return (input) => {
    if (isObject(input) && Object.hasOwn(input, 'leases')) {
      const body = check(many, input)
      if (!body.ok) return body
      return ok({ form: 'many', items: body.value.leases.map((fields) => itemOf(verb, fields)) })
    }
    if (claimed !== null && isObject(input) && Object.hasOwn(input, 'receipts')) {
      const body = check(claims, input)
      if (!body.ok) return body
      const { receipts, reason = null, delayMs = null } = body.value
      return ok({ form: 'claims', claims: { receipts, outcome: claimed, reason, delayMs } })
    }
    const body = check(one, input)
    return body.ok ? ok({ form: 'one', item: itemOf(verb, body.value) }) : body
  }
}

const outcomes = ['ack', 'nack', 'reject', 'release'] as const

/** An item of `settle`. */
export const item = object({
  ...leaseFields,
  outcome: v.picklist(outcomes, `must be one of ${outcomes.join(', ')}`),
  reason,
  delayMs,
})

const settleBody = object({ items: list(item, 1, limits.settleItems), fetch: v.optional(unwaitingFetch) })

/** Checks the body of `settle`, the fetch included: what is malformed is refused before anything is settled. */
export function checkSettleAndFetch(input: unknown): Result<SettleAndFetch> {
  const body = check(settleBody, input)
  if (!body.ok) return body
  for (const [index, fields] of body.value.items.entries()) {
    const extra = (['reason', 'delayMs'] as const).find(
      (name) => fields[name] !== undefined && !(name in verbFields[fields.outcome]),
    )
    if (extra !== undefined) return invalidRequest(`items[${index}].${extra}`, `does not go with ${fields.outcome}`)
  }
  const items = body.value.items.map((fields) => itemOf(fields.outcome, fields))
  if (body.value.fetch === undefined) return ok({ items, fetch: null })
  const fetch = fetchOf(body.value.fetch, 0, 'fetch.')
  return fetch.ok ? ok({ items, fetch: fetch.value }) : fetch
}
