/** Names the contract refuses, and why. Each can stand in a path once it is percent-encoded. */
export const invalidNames: readonly (readonly [why: string, name: string])[] = [
  ['129 characters', 'a'.repeat(129)],
  ['a hyphen first', '-orders'],
  ['a dot first', '.orders'],
  ['an underscore first', '_orders'],
  ['a space', 'or ders'],
  ['a slash', 'or/ders'],
  ['a backslash', 'or\\ders'],
  ['a colon', 'or:ders'],
  ['a percent sign', 'or%ders'],
  ['a line break at the end', 'orders\n'],
  ['a NUL', 'or\u0000ders'],
  ['a letter beyond ASCII', 'ordér'],
  ['a digit beyond ASCII', '٣orders'],
  ['an emoji', 'orders😀'],
]
