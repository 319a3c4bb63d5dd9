import { renderToString } from 'preact-render-to-string'
import { DashboardPage } from '../../src/dashboard/page.tsx'
import { openapi } from '../../src/reference/openapi.ts'

const html = (page: Parameters<typeof renderToString>[0]): string => `<!doctype html>${renderToString(page)}\n`

/** The pages, by the path of their file. */
export const files = (assets: Readonly<Record<string, string>>): Record<string, string> => ({
  'openapi.json': `${JSON.stringify(openapi())}\n`,
  'dashboard.html': html(<DashboardPage script={assets['dashboard.js']!} style={assets['dashboard-style.css']!} />),
})
