import { limits } from './limits.ts'

/** What a name is made of, its length aside. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whether a text may name a tenant, a stream or a group. */
export const isName = (text: string): boolean => text.length <= limits.nameLength && NAME.test(text)

/** What a refused name is told. */
export const nameRule = `1 to ${limits.nameLength} of A-Z a-z 0-9 . _ -, the first one a letter or a digit`
