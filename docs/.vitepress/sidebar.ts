import { readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

/** The sidebar is the map in `docs/README.md`: its headings, and the links below each. */
export function sidebarOf(map: string): DefaultTheme.SidebarItem[] {
  return map
    .split(/^##+ /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n')[0]!.split(':')[0]!,
      collapsed: false,
      items: [...section.matchAll(/^(?:-|\d+\.) \[(.+?)\]\((?!\.\.)(.+?)\.md\)/gm)].map(([, text, page]) => ({
        text: text!.replaceAll('`', ''),
        link: `/${page}`,
      })),
    }))
}

export const readMap = (): string => readFileSync(new URL('../README.md', import.meta.url), 'utf8')
