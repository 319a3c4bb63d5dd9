import { defineConfig } from 'vitepress'
import { anchorOf } from './anchor.ts'
import { keepLinksInside } from './links.ts'
import { drawMermaid } from './mermaid.ts'
import { readMap, sidebarOf } from './sidebar.ts'

/** Pages with a table or a drawing that needs the room of the outline. */
const wide = [
  'concepts/groups-and-delivery',
  'concepts/streams-and-partitions',
  'internals/architecture',
  'internals/state-machine',
]

export default defineConfig({
  title: 'Rheo Edge',
  description: 'Durable, searchable event streams with consumer groups on Cloudflare Durable Objects',
  // No icon: without this line a browser asks for one that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.vitepress',
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
      keepLinksInside(md)
      drawMermaid(md)
    },
  },
  transformPageData: ({ filePath, frontmatter }) => {
    if (wide.includes(filePath.replace(/\.md$/, ''))) frontmatter.aside = false
  },
  themeConfig: {
    sidebar: sidebarOf(readMap()),
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
