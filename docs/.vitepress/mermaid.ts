import type { MarkdownRenderer } from 'vitepress'

/** Hands blocks of Mermaid to the component that draws them. */
export function drawMermaid(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, ...others) => {
    const { info, content } = tokens[index]!
    if (info.trim() === 'mermaid') return `<Mermaid code="${encodeURIComponent(content)}" />`
    return fence!(tokens, index, ...others)
  }
}
