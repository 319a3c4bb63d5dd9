import { Marked } from 'marked'

/** Where the pages of the documentation are on the site; others are only where the sources are. */
const onSite: Readonly<Record<string, string>> = { 'http-api.md': '/docs', 'errors.md': '/docs/errors' }

/** The anchor of a heading, as where Markdown is shown. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const anchor = anchorOf(text)
      return `<h${depth} id="${anchor}"><a href="#${anchor}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const [file = '', anchor] = href.split('#')
      const target = file === '' ? '' : onSite[file]
      if (target === undefined) return `<em>${text}</em>`
      return `<a href="${target}${anchor === undefined ? '' : `#${anchor}`}">${text}</a>`
    },
  },
})

/** A page, or some paragraphs, as HTML. */
export const blocks = (markdown: string): { __html: string } => ({ __html: marked.parse(markdown) as string })

/** A sentence or two as HTML. */
export const inline = (markdown: string): { __html: string } => ({ __html: marked.parseInline(markdown) as string })

/** The headings of a page of one level, with their anchors. */
export const headingsOf = (markdown: string, depth: number): readonly { text: string; anchor: string }[] =>
  marked
    .lexer(markdown)
    .flatMap((token) => (token.type === 'heading' && token.depth === depth ? [token.text as string] : []))
    .map((text) => ({ text, anchor: anchorOf(text) }))
