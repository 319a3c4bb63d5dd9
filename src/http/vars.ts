/** The variables of a deployment that the edge reads, with each request anew. */
export interface EdgeVars {
  /** `token` or `open`; anything else refuses every call. */
  readonly RHEO_AUTH?: string
  /** In `token`: the secret that HS256 tokens are signed with, at least 32 bytes; and the one before it. */
  readonly RHEO_JWT_SECRET?: string
  readonly RHEO_JWT_SECRET_PREVIOUS?: string
  /** In `token`, instead of a secret: where an issuer's public keys are, with the issuer and the audience to expect. */
  readonly RHEO_JWKS_URL?: string
  readonly RHEO_JWT_ISSUER?: string
  readonly RHEO_JWT_AUDIENCE?: string
  /** In `open`: hosts beyond loopback that are served, separated by commas. */
  readonly RHEO_OPEN_HOSTS?: string
  /** `1` lets callers set the clock with `Rheo-Now`. Never in production. */
  readonly RHEO_TEST_CLOCK?: string
  /** Size of a partition's database in bytes from which on it takes no more events; see `limits.partitionBytes`. */
  readonly RHEO_PARTITION_MAX_BYTES?: string
  /** Origins that browsers may call from, separated by commas. */
  readonly RHEO_CORS_ORIGINS?: string
  /**
   * What each tenant may do; whole numbers from 1, absent for no quota beyond the limits. The two rates are kept by each
   * isolate for itself: a tenant whose calls reach several isolates, or several data centers, gets that much from each.
   * They keep one tenant from crowding out the others, and are no account of what it used. The counts are exact.
   */
  readonly RHEO_QUOTA_REQUESTS_PER_SECOND?: string
  readonly RHEO_QUOTA_EVENTS_PER_SECOND?: string
  readonly RHEO_QUOTA_STREAMS?: string
  /** Groups of each stream. */
  readonly RHEO_QUOTA_GROUPS?: string
  /** A dataset of Analytics Engine that gets a data point for each call. */
  readonly RHEO_METRICS?: { writeDataPoint(point: DataPoint): void }
}

/** A data point of Analytics Engine, which takes one index. */
export interface DataPoint {
  readonly indexes: [string]
  readonly blobs: string[]
  readonly doubles: number[]
}

/** The value of a variable; an empty one counts as absent. */
export const setVar = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** The entries of a variable that holds a list. */
export const listOf = (text: string | undefined): string[] =>
  text === undefined
    ? []
    : text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
