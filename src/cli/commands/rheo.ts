import type { CommandGroup } from '../command.ts'
import { append } from './append.ts'
import { bench } from './bench.ts'
import { consume } from './consume.ts'
import { deadLetters } from './dead-letters.ts'
import { doctor } from './doctor.ts'
import { event } from './event.ts'
import { fetch } from './fetch.ts'
import { groups } from './groups.ts'
import { leases } from './leases.ts'
import { profile } from './profile.ts'
import { query } from './query.ts'
import { read } from './read.ts'
import { replay } from './replay.ts'
import { reset } from './reset.ts'
import { settles } from './settle.ts'
import { streams } from './streams.ts'
import { tail } from './tail.ts'
import { token } from './token.ts'

/** All commands. */
export const rheo: CommandGroup = {
  name: 'rheo',
  description: 'Durable event streams with consumer groups',
  commands: [
    ...[streams, append, read, query, tail, event],
    ...[groups, fetch, ...settles, consume],
    ...[leases, deadLetters, replay, reset],
    ...[token, profile, doctor, bench],
  ],
}
