import { failed, ok, type Result } from '../../core/failure.ts'
import { done, type Outcome, refused } from '../../core/partition/commands.ts'
import { clientGone, json, jsonText } from '../answer.ts'
import type { Call, Names } from '../call.ts'
import { checkFetch, partitionsOf } from '../contract/fetch.ts'
import { checkSettleAndFetch, type SettleRequest, settleCheck } from '../contract/settle.ts'
import { onGroup } from '../directory.ts'
import { fetchMembers, fetchOnce } from '../fetch.ts'
import { jsonBody, withBody } from '../route.ts'
import { claimResults, settle, settleClaims, settledBody, settledResults, settleFailure } from '../settle.ts'
import { fetchWaiting } from '../waiting.ts'

const path = '/v1/streams/:stream/groups/:group'

const fetch = withBody('POST', `${path}/fetch`, 'consume', jsonBody(checkFetch), async (call, { names, input }) => {
  const fetched = await fetchWaiting(call, names, input)
  if (call.signal.aborted) return ok(clientGone())
  return fetched.ok ? ok(jsonText(`{${fetchMembers(fetched.value)}}`)) : fetched
})

const verb = (outcome: Outcome) =>
  withBody('POST', `${path}/${outcome}`, 'consume', jsonBody(settleCheck(outcome)), (call, { names, input }) =>
    answerVerb(call, names, input),
  )

async function answerVerb(call: Call, names: Names, request: SettleRequest): Promise<Result<Response>> {
  switch (request.form) {
    case 'one': {
      const settled = await settle(call, names, [request.item])
      if (!settled.ok) return settled
      const result = settled.value[0]!
      return result.ok ? ok(json(settledBody(request.item, result))) : failed(settleFailure(request.item, result))
    }
    case 'many': {
      const settled = await settle(call, names, request.items)
      return settled.ok ? ok(json(settledResults(request.items, settled.value))) : settled
    }
    case 'claims': {
      const settled = await settleClaims(call, names, request.claims)
      return settled.ok ? ok(json(claimResults(request.claims.receipts, settled.value))) : settled
    }
  }
}

const settleAndFetch = withBody(
  'POST',
  `${path}/settle`,
  'consume',
  jsonBody(checkSettleAndFetch),
  async (call, { names, input: { items, fetch } }) => {
    if (fetch !== null) {
      // A fetch from partitions that are not there is malformed, so it is refused before anything is settled.
      const scope = await onGroup(call, names, async ({ stream }) => {
        const partitions = partitionsOf(fetch.partitions, stream.partitionCount, 'fetch.')
        return partitions.ok ? done(partitions.value) : refused(partitions.failure)
      })
      if (!scope.ok) return scope
    }
    const settled = await settle(call, names, items)
    if (!settled.ok) return settled
    const results = JSON.stringify(settledResults(items, settled.value))
    if (fetch === null) return ok(jsonText(results))
    const fetched = await fetchOnce(call, names, fetch)
    if (call.signal.aborted) return ok(clientGone())
    const members = fetched.ok ? fetchMembers(fetched.value) : `"fetchError":${JSON.stringify(fetched.failure)}`
    return ok(jsonText(`${results.slice(0, -1)},${members}}`))
  },
)

const verbs: readonly Outcome[] = ['ack', 'nack', 'reject', 'renew', 'release']

/** Routes by which consumers take deliveries and give them back. */
export const deliveryRoutes = [fetch, ...verbs.map(verb), settleAndFetch]
