import type { Scenario } from '../scenario.ts'
import { appends } from './append.ts'
import { consumes, settles } from './consume.ts'
import { groupOperations } from './group.ts'
import { queries } from './query.ts'
import { scales } from './scale.ts'
import { whole } from './whole.ts'

/** In the order in which they run: what consumes the large log makes it longer, and comes last. */
export const scenarios: readonly Scenario[] = [
  ...appends,
  ...whole,
  ...queries,
  ...groupOperations,
  ...scales,
  ...consumes,
  ...settles,
]
