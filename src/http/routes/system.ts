import { ok } from '../../core/failure.ts'
import { limits, partitionBytes } from '../../core/limits.ts'
import { json } from '../answer.ts'
import { isTestClock } from '../clock.ts'
import { object } from '../contract/values.ts'
import { get, type Route } from '../route.ts'
import type { EdgeVars } from '../vars.ts'

/** What a deployment can do that the edge cannot see by itself. */
export interface Mechanisms {
  /** Where partitions keep their rows, such as `durable-objects-sqlite`. */
  readonly storage: string
  /** Whether acknowledged writes survive the process. */
  readonly durable: boolean
  /** Whether partitions live in objects of their own, spread over machines. */
  readonly distributed: boolean
}

/** What the service promises and the means it has. */
const capabilities = ({ storage, durable, distributed }: Mechanisms, vars: EdgeVars) => ({
  guarantees: {
    durable,
    distributed,
    atLeastOnce: true,
    leaseFencing: true,
    partitions: true,
    contiguousFrontier: true,
    replay: true,
  },
  mechanisms: {
    storage,
    routing: 'phash2',
    search: 'segment-filters',
    waiting: 'long-poll',
    auth: vars.RHEO_AUTH,
    testClock: isTestClock(vars),
  },
  limits: { ...limits, partitionBytes: partitionBytes(vars.RHEO_PARTITION_MAX_BYTES) },
})

/** Routes about the service itself. Health needs no credentials: it says nothing about anybody's data. */
export const systemRoutes = (version: string, mechanisms: Mechanisms): Route[] => [
  get('/v1/health', 'open', object({}), async () => ok(json({ status: 'ok', version }))),
  get('/v1/capabilities', 'any', object({}), async (call) => ok(json(capabilities(mechanisms, call.vars)))),
]
