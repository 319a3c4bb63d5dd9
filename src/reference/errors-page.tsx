import { Layout } from '../page/layout.tsx'
import { blocks, headingsOf } from './markdown.ts'

/** What every failure means: docs/reference/errors.md as a page, each code with its anchor. */
export const ErrorsPage = ({ markdown, style }: { readonly markdown: string; readonly style: string }) => (
  <Layout title="Errors" current="docs" style={style}>
    <div class="reference">
      <nav class="contents" aria-label="Errors">
        <ul>
          <li>
            <a href="/docs">API reference</a>
          </li>
          {headingsOf(markdown, 3).map(({ text, anchor }) => (
            <li key={anchor} class="code">
              <a href={`#${anchor}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="content prose" dangerouslySetInnerHTML={blocks(markdown)} />
    </div>
  </Layout>
)
