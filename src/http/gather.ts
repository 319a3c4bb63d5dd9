import type { Failure } from '../core/failure.ts'
import { type Answer, done, moved, refused } from '../core/partition/commands.ts'
import { isOutage, worstOf } from './worst.ts'

/**
 * The answers of partitions as one: all their values, or none of them. A read never answers for fewer partitions than
 * were asked (S7).
 */
export function allOf<T>(answers: readonly Answer<T>[]): Answer<T[]> {
  const values: T[] = []
  const failures: Failure[] = []
  for (const answer of answers) {
    if (answer.status === 'moved') return moved
    if (answer.status === 'refused') failures.push(answer.failure)
    else values.push(answer.value)
  }
  if (failures.length === 0) return done(values)
  return refused(failures.find((failure) => !isOutage(failure)) ?? worstOf(failures))
}
