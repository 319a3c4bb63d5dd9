import type { Answer, Options, Out } from '../model/calls.ts'
import { type SettleRequest, settleRequest, type WireItem } from './model-settle.ts'
import { given, must, Refused, toResult } from './model-words.ts'
import type { Problem } from './problem.ts'
import type { Stream } from './stream.ts'
import type * as wire from './wire.ts'

/** Requests about one stream and its groups that are the same whatever partitions they are for. */
export class ModelRequests {
  readonly stream: Stream
  /** The groups that are there, oldest first, each with the body that created it. */
  readonly groups = new Map<string, Record<string, unknown>>()

  constructor(stream: Stream) {
    this.stream = stream
  }

  /** Creates a group whose start is said in the words of the wire; gives where it begins in each partition. */
  async createGroup(group: string, options: Options, start: Record<string, unknown>) {
    const body = { name: group, ...given({ ...options }), ...start }
    const created = await this.got<wire.GroupOptions>('POST', '/groups', body, 201)
    this.groups.set(group, body)
    return created.start
  }

  /** Settles leases of any partitions in one request. */
  async settleItems(group: string, items: readonly WireItem[]): Promise<Out<'settle'>['results']> {
    // Nothing to settle is no request; only whether there is such a group can be told.
    if (items.length === 0) await this.got('GET', `/groups/${group}/lag`)
    const results = items.length === 0 ? [] : await this.settleRequest(group, settleRequest(items))
    return results.map((result, index) => toResult(items[index]!.verb, result)) as Out<'settle'>['results']
  }

  async settleRequest(group: string, { path, body, form }: SettleRequest): Promise<wire.Settled[]> {
    const suffix = `/groups/${group}${path}`
    if (form === 'one') {
      const { status, body: settled } = await this.stream.send<wire.Settled & Problem>('POST', suffix, { body })
      if (status === 200) return [settled]
      if (status === 409) return [{ ok: false, code: settled.code }]
      throw new Refused(settled)
    }
    const { results, settled, failed } = await this.got<wire.SettledMany>('POST', suffix, body)
    must(settled === results.filter(({ ok }) => ok).length, 'settled counts what is ok')
    must(failed === results.length - settled, 'failed counts the others')
    return results
  }

  /** Follows a list of a group to its end. */
  async pages<T>(group: string, path: string, member: string, parameters: Record<string, unknown>): Promise<T[]> {
    const items: T[] = []
    for (let after: string | null = null; ; ) {
      const suffix = `/groups/${group}/${path}?${query({ ...parameters, after })}`
      const page: Record<string, unknown> = await this.got('GET', suffix)
      const found = page[member] as T[]
      must(found.length <= (parameters.limit as number), 'a page holds no more than was asked for')
      items.push(...found)
      after = page.nextCursor as string | null
      if (after === null) return items
    }
  }

  /** The body of an answer with the status that is meant; any other failure is a refusal. */
  async got<T>(method: string, suffix: string, body?: unknown, status = 200): Promise<T> {
    const answer = await this.stream.send<T>(method, suffix, body === undefined ? {} : { body })
    if (answer.status === status) return answer.body
    if (answer.status >= 400) throw new Refused(answer.body as Problem)
    throw new Error(`${answer.where}: must be ${status}`)
  }
}

/** The answer to something that may be refused. */
export async function plain<T>(ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await ask() }
  } catch (fault) {
    if (fault instanceof Refused) return { refused: fault.refused }
    throw fault
  }
}

/** Query parameters, without those that are null. */
export function query(parameters: Record<string, unknown>): string {
  return new URLSearchParams(given(parameters) as Record<string, string>).toString()
}
