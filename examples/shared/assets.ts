/** The two files that this site serves, read once. Their paths change with their content. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

function asset(name: string, type: string, ...files: string[]) {
  const body = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return { path: `/${name}`, href: `/${name}?v=${version}`, body, type }
}

export const stylesheet = asset(
  'site.css',
  'text/css; charset=utf-8',
  './styles/base.css',
  './styles/home.css',
  './styles/tides.css',
  './styles/forms.css',
  './styles/small.css',
)

export const favicon = asset('favicon.svg', 'image/svg+xml', './favicon.svg')
