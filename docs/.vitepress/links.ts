import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** Where a link of a page leads, from the root of `docs`; null when it names no file. */
function targetOf(page: string, href: string): string | null {
  const [file] = href.split('#')
  if (!file || /^([a-z][a-z+.-]*:|\/)/i.test(file)) return null
  return path.posix.join(path.posix.dirname(page), file)
}

/** Whether a link leads to a file of the repository that is no page of the site. */
const leavesSite = (target: string | null): boolean => target?.startsWith('../') ?? false

/**
 * Links to sources and tests are of use where they lie beside the page; on the site their text stays. The map is the site's
 * front page.
 */
export function keepLinksInside(md: MarkdownRenderer): void {
  md.core.ruler.push('keep-links-inside', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isDropping = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const href = token.attrGet('href') ?? ''
          const target = targetOf(env.relativePath, href)
          isDropping = leavesSite(target)
          if (target === 'README.md') token.attrSet('href', `/${href.split('/').pop()!.replace('README.md', '')}`)
        }
        if (!isDropping || !token.type.startsWith('link_')) continue
        isDropping = token.type !== 'link_close'
        token.type = 'text'
        token.tag = ''
        token.content = ''
      }
    }
  })
}
