import { renderToString } from 'preact-render-to-string'
import { DashboardPage } from '../../src/dashboard/page.tsx'

const html = (page: Parameters<typeof renderToString>[0]): string => `<!doctype html>${renderToString(page)}\n`

/** The pages, by the path of their file. */
export const files = (assets: Readonly<Record<string, string>>): Record<string, string> => ({
  'dashboard.html': html(<DashboardPage script={assets['dashboard.js']!} style={assets['dashboard-style.css']!} />),
})
