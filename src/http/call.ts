import type { Backend } from '../core/backend.ts'
import type { Result } from '../core/failure.ts'
import type { Publish } from '../core/happening.ts'
import type { CostMeter } from './cost.ts'
import type { Directory } from './directory.ts'
import { forbidden, type Principal } from './principal.ts'
import type { Quotas } from './quota.ts'
import type { Rotation } from './rotation.ts'
import type { EdgeVars } from './vars.ts'

/** Files by their path, as a binding to static assets serves them. */
export interface Site {
  fetch(request: Request): Promise<Response>
}

/** One request on its way, authenticated: who calls, when, and what it may use. */
export interface Call {
  readonly tenant: string
  /** The group that the path names; empty where it names none. */
  readonly group: string
  readonly requestId: string
  readonly publish: Publish
  /** The streams that the caller may touch; null for all. */
  readonly streams: Principal['streams']
  /** When the caller's token expires. */
  readonly expiresAtMs: number
  /** The request's now, read once: the caller's clock in test time, the machine's otherwise. */
  readonly nowMs: number
  /** The caller's clock in test time, null otherwise. */
  readonly testNowMs: number | null
  readonly vars: EdgeVars
  readonly quotas: Quotas
  readonly backend: Backend
  /** Where the pages lie; null where none were built. */
  readonly site: Site | null
  readonly directory: Directory
  readonly rotation: Rotation
  readonly cost: CostMeter
  /** Aborted when the client goes. */
  readonly signal: AbortSignal
  /** Takes events from what the tenant may append each second. */
  takeEvents(count: number): Result<null>
  /** Takes room for a body that will be worked on until the answer; false when there is none. */
  takeBody(bytes: number): boolean
  /** Gives that room back, if any was taken. */
  leaveBody(): void
  /** 128 new random bits as 22 characters of base64url. */
  randomToken(): string
  /** Work that goes on after the answer. */
  waitUntil(work: Promise<unknown>): void
}

/** The names in a path; empty where the path has none. */
export interface Names {
  readonly stream: string
  readonly group: string
  readonly event: string
}

/** What a caller is told of a stream that its token does not cover, whether or not there is one. */
export const notCovered = (stream: string) => forbidden(`the token does not cover the stream ${stream}`)
