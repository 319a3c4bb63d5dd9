import type { ComponentChildren } from 'preact'
import type { Look } from './strip.ts'

/** Each look has a pattern beside its colour, so that none is told by colour alone. */
const drawings: { readonly [L in Look]: ComponentChildren } = {
  settled: null,
  leased: <path d="M-2 2 2 -2M0 8 8 0M6 10 10 6" />,
  delayed: <circle cx="4" cy="4" r="1.5" class="dot" />,
  available: <path d="M4 0V8" />,
  undelivered: <path d="M0 4H8" />,
  mixed: <path d="M0 0 8 8M8 0 0 8" />,
  unknown: <path d="M0 0 8 8" />,
}

const looks = Object.keys(drawings) as Look[]

export const fillOf = (look: Look): string => `url(#look-${look})`

/** The patterns, once for all strips of the page. */
export const Patterns = () => (
  <svg class="definitions" width="0" height="0" aria-hidden="true">
    <defs>
      {looks.map((look) => (
        <pattern
          key={look}
          id={`look-${look}`}
          width="8"
          height="8"
          patternUnits="userSpaceOnUse"
          class={`look ${look}`}
        >
          <rect width="8" height="8" />
          {drawings[look]}
        </pattern>
      ))}
    </defs>
  </svg>
)

const words: { readonly [L in Look]: string } = {
  settled: 'settled',
  leased: 'leased',
  delayed: 'delayed',
  available: 'available again',
  undelivered: 'not fetched yet',
  mixed: 'several states',
  unknown: 'beyond what is listed',
}

export const wordOf = (look: Look): string => words[look]

export const Legend = () => (
  <ul class="legend" aria-label="Legend">
    {looks
      .filter((look) => look !== 'unknown')
      .map((look) => (
        <li key={look}>
          <svg width="16" height="16" aria-hidden="true">
            <rect width="16" height="16" rx="2" fill={fillOf(look)} class="edge" />
          </svg>
          {words[look]}
        </li>
      ))}
  </ul>
)
