import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { render } from 'preact-render-to-string'
import { favicon, stylesheet } from '../assets.ts'

/** The name and tagline of the site. */
export type Brand = { name: string; line: string }

const BrandContext = createContext<Brand>({ name: '', line: '' })

/** The brand of the current page. */
export const useBrand = () => useContext(BrandContext)

type Frame = { title?: string; signed_in: boolean; children: ComponentChildren }

/** A whole page as text. */
export function html(brand: Brand, page: VNode): string {
  const branded = <BrandContext.Provider value={brand}>{page}</BrandContext.Provider>
  return `<!doctype html>${render(branded)}`
}

/** The layout of every page; the home page has no title of its own. */
export function Layout({ title, signed_in, children }: Frame) {
  const { name, line } = useBrand()
  return (
    <html lang="en-US">
      <head>
        <meta charset="utf-8" />
        <title>{title ? `${title} · ${name}` : `${name}: ${line}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={favicon.href} type="image/svg+xml" />
        <link rel="stylesheet" href={stylesheet.href} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <div class="wide top-row">
            <a class="brand" href="/">
              <Mark />
              {name}
            </a>
            <nav aria-label="Site">
              <a href="/#today">Today</a>
              <a href="/#plans">Plans</a>
              {signed_in ? <a href="/app">My tides</a> : <a href="/login">Sign in</a>}
            </nav>
          </div>
        </header>
        <main id="main">{children}</main>
        <footer class="bottom">
          <div class="wide">
            <p>
              Heron Point is an imaginary shore, and its tides come from a model. Never use them to
              navigate.
            </p>
            <p>{name} is a sample site. Its checkout, receipts and refunds are Purser’s.</p>
          </div>
        </footer>
      </body>
    </html>
  )
}

/** The logo: a pool with the moon in it. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle class="mark-pool" cx="16" cy="16" r="15" />
      <circle class="mark-moon" cx="20.5" cy="10.5" r="4" />
      <path class="mark-wave" d="M4 19c4-4 8-4 12 0s8 4 12 0" />
      <path class="mark-wave" d="M7 24.5c3-2.8 6-2.8 9 0s6 2.8 9 0" />
    </svg>
  )
}
