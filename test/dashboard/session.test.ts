import { sign } from 'hono/jwt'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../src/client/errors.ts'
import { explain } from '../../src/dashboard/explain.ts'
import { headerOf, objectOf, partitionsOf, timeOf, wholeOf } from '../../src/dashboard/form.ts'
import { loadSession, mayDo, readClaims, type Session, saveSession } from '../../src/dashboard/session.ts'

function memory() {
  const held = new Map<string, string>()
  return {
    held,
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  }
}

describe('a session', () => {
  test.each<Session>([{}, { token: 't' }, { tenant: 'acme' }])('%j is found as it was kept', (session) => {
    const store = memory()
    saveSession(store, session)
    expect(loadSession(store)).toEqual(session)
  })

  test('that was signed out of leaves nothing', () => {
    const store = memory()
    saveSession(store, { token: 't' })
    saveSession(store, {})
    expect(store.held.size).toBe(0)
  })

  test.each(['', '{', 'null', '[]', '{"token":1}'])('kept as %j is none', (text) => {
    const store = memory()
    store.setItem('rheo-session', text)
    expect(loadSession(store)).toEqual({})
  })
})

describe('a token', () => {
  test('says its tenant, scopes and end', async () => {
    const token = await sign({ tenant: 'ácme', scope: 'read  admin', exp: 2_000_000_000 }, 's'.repeat(32))
    expect(readClaims(token)).toEqual({ tenant: 'ácme', scopes: ['read', 'admin'], expiresAt: 2_000_000_000_000 })
    expect(mayDo({ token }, 'admin')).toBe(true)
    expect(mayDo({ token }, 'append')).toBe(false)
  })

  test('may name its scopes as a list', async () => {
    const token = await sign({ tenant: 'acme', scope: ['read', 'admin'] }, 's'.repeat(32))
    expect(readClaims(token).scopes).toEqual(['read', 'admin'])
    expect(mayDo({ token }, 'admin')).toBe(true)
    expect(mayDo({ token }, 'append')).toBe(false)
  })

  test.each([[null], [1], [{ read: true }], [['read', 1]]])(
    'whose scopes cannot be read (%j) forbids nothing: the server decides',
    async (scope) => {
      const token = await sign({ tenant: 'acme', scope }, 's'.repeat(32))
      expect(readClaims(token)).toMatchObject({ tenant: 'acme', scopes: null })
      expect(mayDo({ token }, 'admin')).toBe(true)
    },
  )

  test('without scopes may do nothing, and without a token everything may be tried', async () => {
    expect(mayDo({ token: await sign({ tenant: 'a' }, 's'.repeat(32)) }, 'read')).toBe(false)
    expect(mayDo({}, 'admin')).toBe(true)
  })

  test.each(['', 'x', 'a.b.c', 'a.bnVsbA.c'])(
    'that cannot be read (%j) forbids nothing: the server decides',
    (token) => {
      expect(readClaims(token)).toEqual({ tenant: null, scopes: null, expiresAt: null })
      expect(mayDo({ token }, 'admin')).toBe(true)
    },
  )
})

describe('what is typed', () => {
  test('is a JSON object, or said not to be', () => {
    expect(objectOf('Payload', ' ')).toEqual({})
    expect(objectOf('Payload', '{"a":1}')).toEqual({ a: 1 })
    expect(() => objectOf('Payload', '{"a":}')).toThrow(/^Payload is no JSON: .*/)
    for (const text of ['[]', 'null', '1', '"x"'])
      expect(() => objectOf('Payload', text)).toThrow('Payload has to be a JSON object')
  })

  test.each([
    ['{"total":1e999}', 'total'],
    ['{"a":{"b":[1,-1e400]}}', '1'],
  ])('is no number that would be sent as null: %s', (text, name) => {
    expect(() => objectOf('Payload', text)).toThrow(`Payload: the number at "${name}" is too large`)
    expect(objectOf('Payload', '{"a":1e308,"b":null,"c":"1e999"}')).toEqual({ a: 1e308, b: null, c: '1e999' })
  })

  test('is a whole number, or said not to be', () => {
    expect(wholeOf('Sequence', ' 12 ')).toBe(12)
    for (const text of ['', '-1', '1.5', 'x'])
      expect(() => wholeOf('Sequence', text)).toThrow('Sequence: a whole number')
  })

  test('is a time of the reader`s zone, or said not to be', () => {
    expect(timeOf('From', '2026-03-15T12:00')).toBe(new Date('2026-03-15T12:00').toISOString())
    for (const text of ['', 'soon']) expect(() => timeOf('From', text)).toThrow('From: a date and a time')
  })

  test('goes into a header, or is said not to', () => {
    expect(headerOf('Tenant', ' acme~1 ')).toBe('acme~1')
    expect(headerOf('Tenant', '')).toBe('')
    for (const text of ['ácme', 'a b', 'a\u0000', 'a\nb', '“x”', 'a\u200b'])
      expect(() => headerOf('Tenant', text)).toThrow('Tenant: it holds a space or a character beyond ASCII')
  })

  test('is a list of partitions, each once, or said not to be', () => {
    expect(partitionsOf('')).toEqual({})
    expect(partitionsOf('0, 2 2,11')).toEqual({ partitions: [0, 2, 11] })
    for (const text of ['a', '-1', '1.5']) expect(() => partitionsOf(text)).toThrow('Partitions: numbers')
  })
})

describe('a failure', () => {
  test('is told with the field that the server names', () => {
    const error = errorOf('invalid_query', { detail: 'unknown operator "like"', data: { field: 'where.total.like' } })
    expect(explain(error)).toEqual({
      title: 'The search is not well-formed',
      detail: 'unknown operator "like"',
      field: 'where.total.like',
    })
  })

  test.each([
    ['backend_unavailable', 0, 'The server does not answer'],
    ['backend_unavailable', 503, 'A part of the server does not answer'],
    ['rate_limited', 429, 'Too many requests'],
    ['invalid_name', 400, 'That is not well-formed'],
    ['failed', 500, 'That did not work'],
  ] as const)('of %s with status %d is called: %s', (code, status, title) => {
    expect(explain(errorOf(code, { detail: '', data: {}, status })).title).toBe(title)
  })

  test('that is none of the server is told as it is', () => {
    expect(explain(new Error('Payload is no JSON'))).toEqual({
      title: 'That did not work',
      detail: 'Payload is no JSON',
    })
  })
})
