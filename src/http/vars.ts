/** The variables of a deployment that the edge reads, with each request anew. */
export interface EdgeVars {
  /** `token` or `open`; anything else refuses every call. */
  readonly RHEO_AUTH?: string
  /** In `open`: hosts beyond loopback that are served, separated by commas. */
  readonly RHEO_OPEN_HOSTS?: string
  /** `1` lets callers set the clock with `Rheo-Now`. Never in production. */
  readonly RHEO_TEST_CLOCK?: string
  /** Origins that browsers may call from, separated by commas. */
  readonly RHEO_CORS_ORIGINS?: string
}

/** The entries of a variable that holds a list. */
export const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
