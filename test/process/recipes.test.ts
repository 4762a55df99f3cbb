import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { SETTING_NAMES } from '#platform/config'
import { CONNECTIONS } from '#platform/db-postgres'
import { which } from '../../scripts/chromium.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { makeCertificate } from '../support/certificate.ts'

const RECIPES = [
  'deploy/Dockerfile',
  'deploy/compose.yaml',
  'deploy/systemd/purser@.service',
  'deploy/kubernetes/purser.yaml',
]
const OF_OTHERS = /^(POSTGRES_|MALLOC_|NODE_OPTIONS$)/
const read = (path: string) => readFileSync(path, 'utf8')

test('recipes set only settings that the service, PostgreSQL, Node.js or the C library reads', () => {
  for (const path of RECIPES) {
    const named = [
      ...read(path).matchAll(/(?<=[{,] |ENV .*|Environment=.*| {6})([A-Z][A-Z_]+)(?==|: )/g),
      ...read(path).matchAll(/(?<=name: )([A-Z][A-Z_]+)(?=, value)/g),
    ].map(([name]) => name)
    assert.ok(named.length > 1, `${path} sets nothing`)
    const unknown = named.filter((name) => !SETTING_NAMES.includes(name) && !OF_OTHERS.test(name))
    assert.deepEqual(unknown, [], path)
  }
})

test('recipes start files that exist', () => {
  for (const path of RECIPES) {
    for (const [file] of read(path).matchAll(/\b(src|scripts)\/[\w-]+\.m?[jt]s/g)) {
      assert.ok(existsSync(file), `${path}: ${file}`)
    }
  }
})

test('compose gives no container an address that it sets for another', () => {
  const compose = read('deploy/compose.yaml')
  const [, first = ''] = /ip_range: 172\.30\.0\.(\d+)\/25/.exec(compose) ?? []
  const set = [...compose.matchAll(/(?:ipv4_address|gateway): 172\.30\.0\.(\d+)/g)]
  assert.equal(set.length, 4)
  for (const [, last] of set) assert.ok(Number(last) < Number(first), last)
})

test('PostgreSQL of compose has a connection for each that the nodes open, in live and test mode', () => {
  const compose = read('deploy/compose.yaml')
  const nodes = [...compose.matchAll(/PURSER_ROLE: \w+/g)].length
  const [, most = '100'] = /max_connections=(\d+)/.exec(compose) ?? []
  const { pool, reports, single } = CONNECTIONS
  // Three are kept for superusers, and commands of an operator open one node's.
  const opened = (nodes + 1) * 2 * (pool + reports + single) + 3
  assert.ok(opened <= Number(most), `${opened} of ${most}`)
})

test('secrets that compose reads stay out of the repository and of the build of the image', () => {
  const ignored = (file: string) => read(file).split('\n')
  for (const path of ['deploy/purser.env', 'deploy/tls']) {
    assert.ok(ignored('.dockerignore').includes(path), path)
    assert.ok(
      ignored('.gitignore').some((each) => each.replace(/^\/|\/$/g, '') === path),
      path,
    )
  }
  assert.ok(ignored('.dockerignore').includes('**/.env'))
  assert.ok(ignored('.gitignore').includes('.env'))
})

const nginx = which('nginx') ?? (existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : undefined)

describe('the recipe for nginx', { skip: !nginx && 'no nginx (apt-get install nginx)' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-nginx-'))
  const seen: IncomingHttpHeaders[] = []
  const nodes: Server[] = []
  let port: number
  let ports: number[]
  let stop: () => Promise<unknown>
  before(async () => {
    ports = [await freePort(), await freePort()]
    for (const each of ports) {
      const node = createServer((asked, response) => {
        seen.push(asked.headers)
        if (asked.url === '/lost') return void asked.socket.destroy()
        if (asked.url === '/busy') response.statusCode = 503
        response.end(`${asked.method} ${each}`)
      })
      nodes.push(node.listen(each, '127.0.0.1'))
    }
    port = await freePort()
    const plain_port = await freePort()
    const { key, certificate } = makeCertificate(folder, ['purser.example'])
    const recipe = read('deploy/nginx.conf')
      .replaceAll('172.30.0.11:4000', `127.0.0.1:${ports[0]}`)
      .replaceAll('172.30.0.12:4000', `127.0.0.1:${ports[1]}`)
      .replace('listen 80', `listen 127.0.0.1:${plain_port}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/nginx/tls/fullchain.pem', certificate)
      .replace('/etc/nginx/tls/privkey.pem', key)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${folder}/${each};`,
    )
    const around = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
      events {} http { access_log off; ${paths.join(' ')}\n${recipe}\n}`
    writeFileSync(join(folder, 'nginx.conf'), around)
    const child = spawn(nginx!, ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
    const exit = once(child, 'exit')
    stop = async () => {
      child.kill('SIGTERM')
      await exit
    }
    for (let tries = 0; ; tries++) {
      if (await ask().catch(() => undefined)) break
      // The log does not exist until nginx has started.
      if (tries === 100) assert.fail(read(join(folder, 'error.log')))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  after(async () => {
    await stop?.()
    for (const each of nodes) each.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function open(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<IncomingMessage> {
    const about = { host: '127.0.0.1', port, path, method, rejectUnauthorized: false }
    return new Promise((resolve, reject) => {
      request({ ...about, headers: { host: 'test.purser.example', ...headers } }, resolve)
        .on('error', reject)
        .end()
    })
  }

  async function ask(headers: Record<string, string> = {}): Promise<string> {
    return await text(await open('/', headers))
  }

  test('passes the host, and the address that it saw instead of what a client claims', async () => {
    await ask({ 'x-forwarded-for': '203.0.113.9' })
    const { host, 'x-forwarded-for': address, 'x-forwarded-proto': scheme } = seen.at(-1)!
    assert.deepEqual([host, address, scheme], ['test.purser.example', '127.0.0.1', 'https'])
  })

  test('gives each request its own ID, and passes on no ID or trace from a client', async () => {
    const claims = { 'x-request-id': 'req_of_another', traceparent: `00-${'a'.repeat(32)}-1-01` }
    const ids = new Set<string>()
    for (const path of ['/', '/', '/busy', '/busy', '/busy', '/']) {
      await open(path, claims)
      const { 'x-request-id': id, traceparent } = seen.at(-1)!
      assert.match(`${id}`, /^req_[0-9a-f]{32}$/)
      assert.equal(traceparent, undefined)
      ids.add(`${id}`)
    }
    assert.equal(ids.size, 6)
  })

  test('tries another node while one is down, so no request fails', async () => {
    const [first] = nodes
    first!.close()
    first!.closeAllConnections()
    const answers = new Set<string>()
    for (let times = 0; times < 10; times++) answers.add(await ask())
    assert.equal(answers.size, 1)
    assert.match([...answers][0]!, /^GET \d+$/)
  })

  test('answers other requests while some get a 503 from each node', async () => {
    for (const each of nodes)
      if (!each.listening) each.listen(ports[nodes.indexOf(each)], '127.0.0.1')
    for (let times = 0; times < 4; times++) {
      assert.equal((await open('/busy')).statusCode, 503)
      for (const method of ['GET', 'POST']) {
        const answer = await open('/', {}, method)
        assert.match(await text(answer), new RegExp(`^${method} \\d+$`))
      }
    }
  })

  test('sends a POST whose answer is lost to one node only, also where the other is left out', async () => {
    await open('/busy')
    const before = seen.length
    assert.equal((await open('/lost', {}, 'POST')).statusCode, 503)
    assert.equal(seen.length, before + 1)
  })

  test('answers 503 with a clear message if no node answers, in JSON for programs', async () => {
    for (const each of nodes) {
      each.close()
      each.closeAllConnections()
    }
    const page = await open('/manage/app/')
    assert.deepEqual([page.statusCode, page.headers['retry-after']], [503, '5'])
    assert.match(await text(page), /^The service is temporarily unavailable\. Try again/)
    for (const path of ['/api/v1/licenses/validate', '/o/token', '/mcp']) {
      const answer = await open(path)
      assert.equal(answer.statusCode, 503, path)
      const { error, request_id, retry_after } = JSON.parse(await text(answer))
      assert.deepEqual([error, retry_after], ['service_unavailable', 5], path)
      assert.match(request_id, /^req_\w+$/, path)
    }
  })
})
