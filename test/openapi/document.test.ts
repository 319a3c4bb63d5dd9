import { describe, expect, it } from 'vitest'
import { scopes } from '../../src/http/principal.ts'
import { problems } from '../../src/http/problem.ts'
import { operationsOf, parameterOf } from '../../src/reference/document.ts'
import { apiRoutes, keyOf, openapi } from '../../src/reference/openapi.ts'
import { operations } from '../../src/reference/operations.ts'
import type { Schema } from '../../src/reference/schema.ts'
import { described } from '../../src/reference/schema.ts'
import { Contract, type Exchange } from '../conformance/contract.ts'
import { headingsOf, read } from '../docs/pages.ts'

const document = openapi()
const all = operationsOf(document)

describe('the OpenAPI document', () => {
  it('has every route of the API with its scope, and no other', () => {
    const scopeOf = (key: string) => all.find(({ method, path }) => `${method} ${path}` === key)?.operation.security
    const expected = apiRoutes().map((route) => [
      keyOf(route),
      route.scope === 'open' ? [] : [{ token: scopes.filter((scope) => scope === route.scope) }],
    ])
    expect(expected.map(([key]) => [key, scopeOf(key as string)])).toEqual(expected)
    expect(all).toHaveLength(expected.length)
  })

  it('cannot be made without words for a route, or with words for none, and says which', () => {
    const [first, ...others] = apiRoutes()
    expect(() => openapi(others)).toThrow(`what is no route: ${keyOf(first!)}`)
    const unsaid = { ...first!, path: '/v1/streams/:stream/none' }
    expect(() => openapi([...apiRoutes(), unsaid])).toThrow('says nothing of GET /v1/streams/{stream}/none')
    const body: Schema = { type: 'object', properties: { name: {} } }
    expect(() => described(body, {}, 'createStream')).toThrow('createStream: nothing is said of name')
    expect(() => described(body, { name: 'Its name.', age: 'Its age.' })).toThrow('there is no age any more')
  })

  it('says something of every member, parameter, answer and header', () => {
    const silent: string[] = []
    const walk = (node: unknown, at: string, isMember: boolean): void => {
      if (typeof node !== 'object' || node === null) return
      if (isMember && !('description' in node)) silent.push(at)
      for (const [name, value] of Object.entries(node)) {
        if (['dependentSchemas', 'examples', 'x-codeSamples'].includes(name)) continue
        if (name === 'properties') {
          for (const [member, schema] of Object.entries(value)) walk(schema, `${at}.${member}`, true)
        } else walk(value, `${at}/${name}`, false)
      }
    }
    walk(document, '', false)
    for (const { operation } of all) {
      for (const one of operation.parameters.map((parameter) => parameterOf(document, parameter))) {
        if (one.description === '') silent.push(`${operation.operationId} ${one.name}`)
      }
    }
    expect(silent).toEqual([])
  })

  it('knows an operation by one id, which says what it does in the words of the SDK or the wire', () => {
    const ids = all.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z]+[A-Z][A-Za-z]+$/.test(id))).toEqual([])
  })

  it('has a call to copy for every operation', () => {
    const without = all.filter(({ operation }) => operation['x-codeSamples'].every(({ lang }) => lang !== 'Shell'))
    expect(without.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('names the codes that http-api.md names for an endpoint', () => {
    const sections = read('docs/reference/http-api.md').split(/^### /m).slice(1)
    expect(sections).toHaveLength(headingsOf('docs/reference/http-api.md').filter((one) => one.startsWith('`')).length)
    const unnamed = sections.flatMap((section) => {
      const key = /^`(.*)`/.exec(section)![1]!
      const told = [...section.split('\n## ')[0]!.matchAll(/Codes: ([^.]*)/g)].flatMap(([, text]) =>
        [...text!.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!),
      )
      const { codes } = operations[key]!
      const always = ['ambiguous']
      return told.filter((code) => ![...codes, ...always].includes(code as never)).map((code) => `${key}: ${code}`)
    })
    expect(unnamed).toEqual([])
  })

  it('describes every code that an operation can answer, with the status that it has', () => {
    const described = Object.keys(document.components.schemas).flatMap((name) => /^problem\.(.*)/.exec(name)?.[1] ?? [])
    const elsewhere = ['not_found', 'method_not_allowed']
    expect([...described, ...elsewhere].toSorted()).toEqual(Object.keys(problems).toSorted())
  })
})

describe('an exchange is against the contract', () => {
  const headers = new Map([
    ['rheo-request-id', 'x'],
    ['rheo-cost', 'rows-read=0, rows-written=0, objects=0'],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
    ['content-type', 'application/json'],
  ])
  const get = (name: string): string | null => headers.get(name.toLowerCase()) ?? null
  const stream = { name: 'orders', partitionCount: 1, createdAt: '2026-01-01T00:00:00.000Z' }
  const sound: Exchange = {
    method: 'POST',
    path: '/v1/streams',
    requestHeaders: { get },
    sent: '{"name":"orders"}',
    status: 201,
    headers: { get },
    text: JSON.stringify(stream),
  }
  const faultsOf = (change: Partial<Exchange>) => new Contract(document).faultsOf({ ...sound, ...change }).join()
  const without = (left: string) => ({ get: (name: string) => (name.toLowerCase() === left ? null : get(name)) })

  it('unless everything about it is described', () => {
    expect(faultsOf({})).toBe('')
    expect(faultsOf({ method: 'GET', path: '/v1/nothing', status: 404 })).toBe('')
  })

  it.each<[string, Partial<Exchange>, string]>([
    ['that has a member more', { text: JSON.stringify({ ...stream, secret: 1 }) }, 'additional properties'],
    ['that lacks a member', { text: '{"name":"orders","partitionCount":1}' }, "'createdAt'"],
    ['of a status that is not described', { status: 202 }, 'answers 202'],
    [
      'of another media type',
      { headers: { get: (name) => (name === 'content-type' ? 'text/html' : get(name)) } },
      'text/html',
    ],
    ['without a header', { headers: without('rheo-request-id') }, 'Rheo-Request-Id is missing'],
    ['that is no JSON', { text: 'x' }, 'no JSON'],
    [
      'to a request that should have been refused',
      { sent: '{"name":"orders","colour":"red"}' },
      'additional properties',
    ],
    ['to a parameter that is not described', { path: '/v1/streams?colour=red' }, 'colour'],
    [
      'about an event whose id is a dot, which a URL would resolve',
      { method: 'GET', path: '/v1/streams/orders/events/%2E', status: 299 },
      'answers 299',
    ],
    ['of a path that is not described', { path: '/v1/secrets' }, 'no such operation'],
    [
      'with a code that the operation has not',
      {
        status: 409,
        text: '{"type":"/docs/errors#stale_lease","title":"Stale lease","status":409,"code":"stale_lease","detail":"x"}',
        headers: { get: (name) => (name === 'content-type' ? 'application/problem+json' : get(name)) },
      },
      'the answer 409',
    ],
  ])('by an answer %s', (_, change, said) => {
    expect(faultsOf(change)).toContain(said)
  })
})
