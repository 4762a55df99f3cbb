import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A seller's page with a strict policy: its own style sheet, and the service as source. */
export interface ComponentSite extends AsyncDisposable {
  /** The URL of a page with this content in its `main`. */
  page(main: string, lang?: string): string
}

const STYLE = `
body { font: 16px/1.5 Georgia, serif; margin: 0; color: #222; background: #fdfcf8; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
a { color: #0b4a8f; }
h3 { font-style: italic; }
.purser-buy { background: #0b4a8f; color: #fff; text-decoration: none; }
`

/** Serves pages that load the components of a service. */
export async function openComponentSite(service: string): Promise<ComponentSite> {
  const pages = new Map<string, { main: string; lang: string }>()
  const policy = `default-src 'none'; base-uri 'none'; style-src 'self'; script-src ${service}; connect-src ${service}; require-trusted-types-for 'script'`
  const server = createServer((request, response) => {
    if (request.url === '/style.css') {
      return response.setHeader('content-type', 'text/css').end(STYLE)
    }
    const page = pages.get(request.url ?? '')
    if (!page) return response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', policy)
    response.end(`<!doctype html><html lang="${page.lang}"><head><title>Tide shop</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css">
<script type="module" src="${service}/components/v1.js"></script></head>
<body><main><h1>Tide shop</h1><h2>Prices</h2>${page.main}</main></body></html>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    page(main, lang = 'en') {
      const path = `/page-${pages.size + 1}`
      pages.set(path, { main, lang })
      return origin + path
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
