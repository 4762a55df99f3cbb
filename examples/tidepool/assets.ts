/** The two files this site serves, read once. A stylesheet's address changes with its content. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

function asset(name: string) {
  const body = readFileSync(new URL(`./public/${name}`, import.meta.url))
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return { path: `/${name}`, href: `/${name}?v=${version}`, body }
}

export const stylesheet = { ...asset('tidepool.css'), type: 'text/css; charset=utf-8' }
export const favicon = { ...asset('favicon.svg'), type: 'image/svg+xml' }
