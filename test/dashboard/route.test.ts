import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRoute, pathOf, type Route } from '../../src/dashboard/route.ts'

const parse = (path: string): Route => {
  const [name = '', query = ''] = path.split('?')
  return parseRoute(name, query)
}

describe('an address', () => {
  test.each<[string, Route]>([
    ['/dashboard', { view: 'streams' }],
    ['/dashboard/', { view: 'streams' }],
    ['/dashboard?after=orders', { view: 'streams', after: 'orders' }],
    ['/dashboard/streams/orders', { view: 'stream', stream: 'orders' }],
    [
      '/dashboard/streams/orders/events/evt_1?partition=2',
      { view: 'event', stream: 'orders', event: 'evt_1', partition: 2 },
    ],
    ['/dashboard/streams/orders/groups/billing', { view: 'group', stream: 'orders', group: 'billing' }],
    [
      '/dashboard/streams/orders/groups/billing/dead-letters',
      { view: 'deadLetters', stream: 'orders', group: 'billing' },
    ],
  ])('%s leads to its view', (path, route) => {
    expect(parse(path)).toEqual(route)
  })

  test.each([
    '/',
    '/dashboard/groups',
    '/dashboard/streams',
    '/dashboard/streams/orders/groups',
    '/dashboard/streams/orders/other/x',
    '/dashboard/streams/orders/groups/billing/other',
    '/dashboard/streams/orders/groups/billing/dead-letters/more',
    '/dashboard/streams/%E0%A4%A',
  ])('%s leads nowhere', (path) => {
    expect(parse(path)).toEqual({ view: 'unknown' })
  })

  test('of a partition that is no number leaves it out', () => {
    expect(parse('/dashboard/streams/s/events/e?partition=-1')).toEqual({ view: 'event', stream: 's', event: 'e' })
  })

  test('of any names, ids and searches is read as it was written', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.isWellFormed())
    const routes = fc.oneof(
      fc.record({ view: fc.constant('stream' as const), stream: name, where: name }),
      fc.record({ view: fc.constant('event' as const), stream: name, event: name, partition: fc.nat(255) }),
      fc.record({ view: fc.constant('deadLetters' as const), stream: name, group: name, after: name }),
    )
    fc.assert(
      fc.property(routes, (route) => {
        expect(parse(pathOf(route))).toEqual(route)
      }),
    )
  })
})
