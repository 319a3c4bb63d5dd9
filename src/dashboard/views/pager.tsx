import { useState } from 'preact/hooks'
import { Button } from '../action.tsx'
import { number } from '../format.ts'

/** The items of one page, and what turns it. */
export function usePages<T>(items: readonly T[], size: number, name: string) {
  const [chosen, setPage] = useState(0)
  const pages = Math.max(1, Math.ceil(items.length / size))
  const page = Math.min(chosen, pages - 1)
  const first = page * size
  const shown = items.slice(first, first + size)
  const pager =
    pages === 1 ? null : (
      <nav class="pager" aria-label={`Pages of ${name}`}>
        <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
          Previous
        </Button>
        <span>
          {number(first + 1)} to {number(first + shown.length)} of {number(items.length)}
        </span>
        <Button disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
          Next
        </Button>
      </nav>
    )
  return { shown, pager }
}
