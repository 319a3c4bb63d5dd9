import type { ComponentChildren } from 'preact'

/** What every page of the site has around its content. */
interface LayoutProps {
  readonly title: string
  readonly current: 'dashboard' | 'docs'
  /** Paths of the page's own script and style, as the build named them. */
  readonly script?: string | undefined
  readonly style: string
  readonly children: ComponentChildren
}

const pages = { dashboard: 'Dashboard', docs: 'API reference' } as const

/** A page of the site, whole. It is rendered when the site is built: what it shows of a tenant's data comes later. */
export const Layout = ({ title, current, script, style, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Rheo Edge`}</title>
      <link rel="stylesheet" href={style} />
      <link rel="icon" href="data:," />
      {script === undefined ? null : <script type="module" src={script} />}
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="site">
        <span class="brand">Rheo Edge</span>
        <nav aria-label="Site">
          {Object.entries(pages).map(([path, name]) => (
            <a key={path} href={`/${path}`} aria-current={path === current ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main id="content" tabindex={-1}>
        {children}
      </main>
    </body>
  </html>
)
