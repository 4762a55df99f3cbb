import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import { faultsOf } from '#http/field-faults'
import { REFUSALS } from '#http/refusals'
import { readChapters } from '#surfaces/docs/chapters'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
/** Every page of the documentation by its path. */
const pages = new Map<string, string>()

before(async () => {
  service = await openTestService()
  for (const { path } of readChapters()) {
    const answer = await service.app.inject(path)
    assert.equal(answer.statusCode, 200, path)
    pages.set(path, answer.body)
  }
})
after(() => service?.close())

const idsOf = (body: string) => [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)

describe('every page of the documentation', () => {
  test('is there, with one heading, a canonical URL and a place in the navigation', () => {
    assert.ok(pages.size > 90)
    for (const [path, body] of pages) {
      assert.equal(body.match(/<h1\b/g)?.length, 1, path)
      assert.ok(
        body.includes(`<link rel="canonical" href="${service.world.config.base_url}${path}"`),
      )
      assert.match(body, /<nav [^>]*aria-label="Documentation"/)
      assert.ok(/aria-current="page"/.test(body) || body.includes('class="textlink"'), path)
    }
  })

  test('has no two elements with one ID', () => {
    for (const [path, body] of pages) {
      const ids = idsOf(body)
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
        path,
      )
    }
  })

  test('links to pages and anchors that exist, as the changelog does', async () => {
    const { base_url } = service.world.config
    const checked = new Map<string, Promise<number>>()
    const broken: string[] = []
    const changelog = await service.app.inject('/changelog/')
    for (const [path, body] of [...pages, ['/changelog/', changelog.body] as const]) {
      const [, main = ''] = body.split('<main')
      for (const [, href = ''] of main.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), base_url + path)
        if (url.origin !== base_url) continue
        const target = pages.get(url.pathname)
        const anchor = decodeURIComponent(url.hash.slice(1))
        if (target) {
          if (anchor && !idsOf(target).includes(anchor)) broken.push(`${path} -> ${href}`)
          continue
        }
        const status = checked.get(url.pathname) ?? statusOf(url.pathname)
        checked.set(url.pathname, status)
        if ((await status) >= 400) broken.push(`${path} -> ${href}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  test('of the changelog has its versions and subjects at its top', async () => {
    const { body } = await service.app.inject('/changelog/')
    const [, list = ''] = /<nav aria-label="Versions">(.*?)<\/nav>/s.exec(body) ?? []
    const links = [...list.matchAll(/href="#([^"]+)">([^<]+)</g)].map(([, id, text]) => [id, text])
    const headings = body.matchAll(/<h[2-4] id="([^"]+)"><a [^>]*>([^<]+)</g)
    assert.deepEqual(
      links,
      [...headings].map(([, id, text]) => [id, text]),
    )
    assert.deepEqual(links.slice(0, 2), [
      ['unreleased', 'Unreleased'],
      ['added', 'Added'],
    ])
    assert.deepEqual(links.at(-1), ['added-2', 'Added'])
    const [, fixed = ''] = /href="#fixed">Fixed<\/a><\/p><ul[^>]*>(.*?)<\/ul>/s.exec(list) ?? []
    assert.match(fixed, /^<li[^>]*><a [^>]*href="#checkout-and-licenses"/)
    assert.doesNotMatch(fixed, /href="#security"/)
    const ids = idsOf(body)
    assert.equal(new Set(ids).size, ids.length)
  })

  const statusOf = async (path: string) => (await service.app.inject(path)).statusCode

  test('has no inline script, no inline style and nothing of another host', () => {
    for (const [path, body] of pages) {
      assert.doesNotMatch(
        body,
        /\s(style|on\w+)="|<style|<script(?![^>]*\ssrc=)|<(img|script|iframe)[^>]*src="https?:/,
        path,
      )
    }
  })

  test('says that a client secret is shown once where it says where to create it', async () => {
    const schema = await service.app.inject('/api/v1/schema/')
    const guides = ['/docs/sign-in/', '/docs/quick-start/license-keys/']
    for (const text of [schema.body, ...guides.map((path) => pages.get(path)!)]) {
      const plain = text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')
      assert.match(plain, /create the (client )?secret there(\. The secret|, and it) is shown once/)
    }
  })

  test('is in the sitemap, and an unknown one is not found', async () => {
    const sitemap = (await service.app.inject('/sitemap.xml')).body
    for (const path of pages.keys()) assert.ok(sitemap.includes(`${path}</loc>`), path)
    const missing = await service.app.inject('/docs/no-such-page/')
    assert.equal(missing.statusCode, 404)
  })

  test('keeps the addresses and anchors that were there before', () => {
    const anchors = {
      '/docs/sign-in/': [
        ...['settings', 'code', 'plan', 'sign-out', 'answers', 'auth-js', 'openid-client'],
      ],
      '/docs/agents/': [
        ...['connect', 'consent', 'tools', 'safety', 'prompts', 'refusals'],
        ...['claude-code', 'vs-code', 'codex', 'opencode', 'gemini-cli', 'bridge'],
      ],
      '/docs/test-mode/': ['open', 'api', 'data'],
    }
    for (const [path, names] of Object.entries(anchors)) {
      const ids = idsOf(pages.get(path)!)
      for (const name of names) assert.ok(ids.includes(name), `${path}#${name}`)
    }
  })
})

/** The codes that the sources name where they refuse a request. */
function codesInSources(): Set<string> {
  const codes = new Set<string>(Object.keys(REFUSALS))
  const patterns = [
    /new Problem\(\s*\d+,\s*'(\w+)'/g,
    /\berror: '(\w+)',/g,
    /\bfailure\('(\w+)'/g,
    /\brefuse\('([^']+)'/g,
  ]
  for (const path of globSync([
    'src/surfaces/**/*.ts',
    'src/platform/**/*.ts',
    'src/*/routes.ts',
  ])) {
    const text = readFileSync(path, 'utf8')
    for (const pattern of patterns) {
      for (const [, code] of text.matchAll(pattern)) codes.add(code!)
    }
  }
  return codes
}

/**
 * Errors of the OpenID Connect library that no request here can cause: they belong to features that
 * are off (device flow, DPoP, CIBA, dynamic registration, attestations, request objects by value).
 */
const OFF =
  /authorization_pending|authorization_details|credential|binding|dpop|user_code|slow_down|expired|software|client_metadata|attestation|unknown_user_id|transaction|unmet|invalid_request_(uri|object)|proof|nonce/

function codesOfSignIn(): string[] {
  const codes = Object.values(errors).flatMap((Class) => {
    try {
      return [new (Class as new (text: string) => { error: string })('a text').error]
    } catch {
      return []
    }
  })
  const known = codes.filter((code) => typeof code === 'string' && /^[a-z_]+$/.test(code))
  return [...new Set(known)].filter((code) => !OFF.test(code))
}

describe('error pages', () => {
  const slugOf = (code: string) => code.replaceAll(/\W+/g, '_').toLowerCase()
  const textOfPage = (code: string) => readFileSync(`docs/site/errors/${slugOf(code)}.md`, 'utf8')

  test('exist for every code that the service can answer', () => {
    const codes = [...codesInSources(), ...codesOfSignIn(), 'server_error', 'processing']
    const missing = codes.filter((code) => !pages.has(`/docs/errors/${slugOf(code)}/`))
    assert.ok(codes.length > 40)
    assert.deepEqual([...new Set(missing)], [])
  })

  test('name the status and the message of their code, the cause and what to do', () => {
    for (const [code, [status, message]] of Object.entries(REFUSALS)) {
      const text = textOfPage(code)
      assert.ok(text.startsWith(`---\ntitle: ${code}\n`), code)
      assert.ok(text.includes(`**Status** ${status} `), code)
      const [, json = ''] = /```json Response\n([\s\S]+?)```/.exec(text) ?? []
      const { error, message: shown } = JSON.parse(json)
      assert.deepEqual([error, shown], [code, message])
    }
    for (const { path, text } of readChapters()) {
      if (!/^\/docs\/errors\/\w/.test(path)) continue
      assert.match(text, /\n## Cause \{#cause\}\n[\s\S]+\n## What to do \{#remedy\}\n/, path)
    }
  })

  test('show the message of a rate limit as the service writes it', async () => {
    const address = '/api/v1/public/apps/app_of_no_one/'
    let answer = await service.app.inject(address)
    while (answer.statusCode !== 429) answer = await service.app.inject(address)
    const { retry_after, message } = answer.json()
    const inWords = (seconds: number) => `Try again in ${seconds} seconds.`
    const example = message.replace(inWords(retry_after), inWords(27))
    for (const page of ['rate_limited', 'index']) {
      assert.ok(readFileSync(`docs/site/errors/${page}.md`, 'utf8').includes(example), page)
    }
  })

  test('name every status of a request that is malformed', () => {
    const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'))
    const statuses = sources.flatMap((text) =>
      [...text.matchAll(/\bmalformed\([^)]*?, (\d+)\)/g)].map(([, status]) => status!),
    )
    assert.deepEqual(statuses.toSorted(), ['408', '417', '431'])
    const index = readFileSync('docs/site/errors/index.md', 'utf8')
    for (const status of statuses) {
      assert.match(
        textOfPage('invalid_request'),
        new RegExp(`\\*\\*Status\\*\\* 400 .*\\b${status}\\b`),
      )
      assert.match(index, new RegExp(`^\\| [\\d, ]*\\b${status}\\b`, 'm'))
    }
  })

  test('show a response only for a code that the service answers', () => {
    const sources = globSync('src/**/*.{ts,tsx}')
      .filter((path) => !path.endsWith('http/refusals.ts'))
      .map((path) => readFileSync(path, 'utf8'))
    const answered = (code: string) => sources.some((text) => text.includes(`'${code}'`))
    assert.deepEqual(
      Object.keys(REFUSALS).filter((code) => !answered(code)),
      [],
    )
  })

  test('show the fault that the service finds in a request without a key', () => {
    const [, json = ''] =
      /```json Response\n([\s\S]+?)```/.exec(textOfPage('invalid_request')) ?? []
    const { error } = z.strictObject({ key: z.string() }).safeParse({})
    assert.deepEqual(JSON.parse(json).fields, faultsOf(error!))
  })

  test('are all listed on the page about errors', () => {
    const index = pages.get('/docs/errors/')!
    for (const path of pages.keys()) {
      if (path.startsWith('/docs/errors/'))
        assert.ok(index.includes(`href="${path}"`) || path === '/docs/errors/', path)
    }
  })
})

test('every endpoint of the OpenAPI document has its place in the API reference, with its errors', async () => {
  const { paths } = (await service.app.inject('/api/v1/schema/')).json()
  const reference = [...pages].filter(([path]) => path.startsWith('/docs/api/')).map(([, b]) => b)
  for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      const page = reference.find(
        (body) =>
          body.includes(`id="${operationId}-curl"`) || body.includes(`id="${operationId}-sh"`),
      )
      assert.ok(page, operationId)
      assert.ok(page.includes(`aria-label="Try it: ${method.toUpperCase()} ${path}"`), operationId)
    }
  }
})

describe('the search', () => {
  const titlesOf = (body: string) =>
    [...(body.split('<ol')[1]?.matchAll(/<a [^>]*href="(\/docs\/[^"]+)"/g) ?? [])].map(
      ([, p]) => p!,
    )

  test('an excerpt has no space before its punctuation', async () => {
    for (const query of ['refund', 'terms privacy', 'pkce']) {
      const { body } = await service.app.inject(`/docs/search/?q=${encodeURIComponent(query)}`)
      const [, found = ''] = body.split('<ol')
      assert.ok(found.length > 0)
      assert.doesNotMatch(found.split('</ol>')[0]!, /\w [.,;:)](?=\s)|\( \w/)
    }
  })

  test('finds pages by their words, their error codes and misspelled words', async () => {
    for (const [query, path] of [
      ['rate_limited', '/docs/errors/rate_limited/'],
      ['dunning retry', '/docs/concepts/dunning/'],
      ['lemon squeezy', '/docs/migrate/lemon-squeezy/'],
      ['refundd dispute', '/docs/concepts/refunds-and-disputes/'],
      ['pkce', '/docs/api/openid-connect/'],
      ['cors', '/docs/api/'],
      ['csp', '/docs/components/'],
      ['chargeback', '/docs/concepts/refunds-and-disputes/'],
      ['sdk', '/docs/other-languages/'],
      ['public client pkce', '/docs/errors/invalid_client/'],
      ['single-page app', '/docs/sign-in/'],
      ['iframe', '/docs/api/links/'],
    ] as const) {
      const answer = await service.app.inject(`/docs/search/?q=${encodeURIComponent(query)}`)
      assert.equal(answer.statusCode, 200)
      const found = titlesOf(answer.body).map((href) => href.split('#')[0])
      assert.ok(found.includes(path), `${query}: ${found.join(' ')}`)
    }
  })

  test('lists a page with the word in its title first, and a code where it is asked for', async () => {
    for (const [query, path] of [
      ['license', '/docs/license-keys/'],
      ['refund', '/docs/concepts/refunds-and-disputes/'],
      ['rate_limited', '/docs/errors/rate_limited/'],
      ['unknown_license', '/docs/errors/unknown_license/'],
    ] as const) {
      const answer = await service.app.inject(`/docs/search/?q=${query}`)
      assert.equal(titlesOf(answer.body)[0], path, query)
    }
  })

  test('ranks alike in the browser, which gets the index of the server', async () => {
    const { searcherOf } = await import('#platform/section-search')
    const answer = await service.app.inject('/docs/search.json')
    assert.equal(answer.statusCode, 200)
    const search = searcherOf(answer.body)
    const page = await service.app.inject('/docs/search/?q=license+key')
    assert.deepEqual(
      search('license key').map(({ path }) => path),
      titlesOf(page.body),
    )
    const again = await service.app.inject({
      url: '/docs/search.json',
      headers: { 'if-none-match': String(answer.headers.etag) },
    })
    assert.equal(again.statusCode, 304)
  })

  test('finds pages by some of the words where none has all of them', async () => {
    const answer = await service.app.inject('/docs/search/?q=chargeback+zzzzzzzz')
    const [first = ''] = titlesOf(answer.body)
    assert.match(first, /^\/docs\/concepts\/refunds-and-disputes\//)
  })

  test('shows a query as text, and says when nothing was found', async () => {
    const answer = await service.app.inject('/docs/search/?q=%3Cimg%20zzzz%3Dzzzz%3E')
    assert.equal(answer.statusCode, 200)
    assert.doesNotMatch(answer.body, /<img zzzz/)
    assert.match(answer.body, /No results/)
  })
})
