import { describe, expect, test } from 'vitest'
import * as sdk from '../../src/client/index.ts'
import type { Code as ServerCode } from '../../src/core/failure.ts'
import { problems } from '../../src/http/problem.ts'

/** Codes that arise in clients only. */
type ClientCode = 'already_started' | 'already_draining'

// Neither side may know a code that the other does not: either line stops compiling when it does.
const serverCodesAreKnown = (code: ServerCode): sdk.Code => code
const knownCodesAreTheServers = (code: Exclude<sdk.Code, ClientCode>): ServerCode => code

describe('S7: one class for each code', () => {
  test.each(Object.keys(problems) as ServerCode[])('%s', (code) => {
    expect(knownCodesAreTheServers(serverCodesAreKnown(code) as ServerCode)).toBe(code)
    const error = sdk.errorOf(code, { detail: 'why', data: {} as never })
    expect(error).toBeInstanceOf(sdk.errorClasses[code])
    expect(error).toBeInstanceOf(sdk.RheoError)
    const name = `${code
      .split('_')
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('')}Error`
    expect(error.name).toBe(name)
    expect((sdk as Record<string, unknown>)[name]).toBe(sdk.errorClasses[code])
  })

  test('no two codes share a class', () => {
    const classes = Object.values(sdk.errorClasses)
    expect(new Set(classes).size).toBe(classes.length)
    expect(classes).toHaveLength(Object.keys(problems).length + 2)
  })
})
