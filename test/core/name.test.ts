import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { isName } from '../../src/core/name.ts'

describe('names of tenants, streams and groups', () => {
  it.each(['a', 'Z', '0', 'orders', 'a.b_c-d', '9-', 'a..', 'constructor', 'x'.repeat(limits.nameLength)])(
    '%s is one',
    (name) => {
      expect(isName(name)).toBe(true)
    },
  )

  it.each([
    '',
    '.',
    '..',
    '_a',
    '-a',
    '__proto__',
    'a b',
    'a/b',
    'a%2Fb',
    'a\n',
    '\na',
    'é',
    'a\u0000',
    'a\ud800',
    '\u0661',
    'x'.repeat(limits.nameLength + 1),
  ])('%j is none', (name) => {
    expect(isName(name)).toBe(false)
  })
})
