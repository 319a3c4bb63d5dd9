// Run by wrangler ahead of `dev` and `deploy` (see wrangler.toml): the pages that the Worker serves, in dist/site.
import { fileURLToPath } from 'node:url'
import { buildSite } from './site/build-site.ts'

await buildSite(fileURLToPath(new URL('../dist/site', import.meta.url)))
