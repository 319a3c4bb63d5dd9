import { renderToString } from 'preact-render-to-string'
import { DashboardPage } from '../../src/dashboard/page.tsx'
import { DocsPage } from '../../src/reference/docs-page.tsx'
import type { Document } from '../../src/reference/document.ts'
import { ErrorsPage } from '../../src/reference/errors-page.tsx'

const html = (page: Parameters<typeof renderToString>[0]): string => `<!doctype html>${renderToString(page)}\n`

/** What pages are made of: their scripts and styles as built, the OpenAPI document, and Markdown. */
interface Sources {
  readonly assets: Readonly<Record<string, string>>
  readonly document: Document
  readonly errors: string
}

/** The pages and the OpenAPI document, by the path of their file. */
export function files({ assets, document, errors }: Sources): Record<string, string> {
  const style = assets['docs-style.css']!
  return {
    'openapi.json': `${JSON.stringify(document)}\n`,
    'docs.html': html(<DocsPage document={document} style={style} />),
    'docs/errors.html': html(<ErrorsPage markdown={errors} style={style} />),
    'dashboard.html': html(<DashboardPage script={assets['dashboard.js']!} style={assets['dashboard-style.css']!} />),
  }
}
