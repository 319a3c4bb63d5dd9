import { defineConfig } from 'vitepress'
import { anchorOf } from './anchor.ts'
import { keepLinksInside } from './links.ts'
import { drawMermaid } from './mermaid.ts'
import { readMap, sidebarOf } from './sidebar.ts'

export default defineConfig({
  title: 'Rheo Edge',
  description: 'Durable, searchable event streams with consumer groups on Cloudflare Durable Objects',
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
  themeConfig: {
    sidebar: sidebarOf(readMap()),
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
