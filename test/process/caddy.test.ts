import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { which } from '../../scripts/chromium.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { makeCertificate } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'

const RECIPE = 'deploy/Caddyfile'
const HOST = 'test.purser.example'
const caddy = which('caddy')

/** A web node behind the proxy, which a test makes fail. */
interface Node {
  server: Server
  state: 'ready' | 'not ready' | 'drops requests'
  seen: IncomingMessage[]
}

interface Answer {
  status: number | undefined
  body: string
  retry_after: string | undefined
}

describe('the recipe for Caddy', { skip: !caddy && 'no Caddy (apt-get install caddy)' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-caddy-'))
  const nodes: Node[] = []
  let port: number
  let stop: () => Promise<unknown>
  const run = (...args: string[]) =>
    spawn(caddy!, [...args, '--adapter', 'caddyfile'], {
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: 'ignore',
    })

  before(async () => {
    const ports = [await freePort(), await freePort()]
    for (const each of ports) nodes.push(openNode(each))
    port = await freePort()
    const { key, certificate } = makeCertificate(folder, [HOST])
    const recipe = readFileSync(RECIPE, 'utf8')
      .replace(
        '172.30.0.11:4000 172.30.0.12:4000',
        ports.map((each) => `127.0.0.1:${each}`).join(' '),
      )
      .replace(
        'purser.example, test.purser.example {',
        `https://${HOST}:${port} {\nbind 127.0.0.1\ntls ${certificate} ${key}`,
      )
    const file = join(folder, 'Caddyfile')
    writeFileSync(file, `{\nadmin off\nauto_https disable_redirects\n}\n${recipe}`)
    const child = run('run', '--config', file)
    const exit = once(child, 'exit')
    stop = async () => {
      child.kill('SIGTERM')
      await exit
    }
    await eventually('Caddy', async () => (await ask('GET').catch(() => undefined))?.status === 200)
  })
  after(async () => {
    await stop?.()
    for (const { server } of nodes) server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function ask(method: string, headers: Record<string, string> = {}, path = '/'): Promise<Answer> {
    const about = { host: '127.0.0.1', port, path, method, servername: HOST }
    const facts = { ...about, rejectUnauthorized: false }
    return new Promise((resolve, reject) => {
      request({ ...facts, headers: { host: HOST, ...headers } }, async (answer) =>
        resolve({
          status: answer.statusCode,
          body: await text(answer),
          retry_after: answer.headers['retry-after'],
        }),
      )
        .on('error', reject)
        .end(method === 'POST' ? 'a body' : undefined)
    })
  }
  const posts = () => nodes.flatMap(({ seen }) => seen.filter(({ method }) => method === 'POST'))
  /** Whether the next requests are all answered, by one node alone. */
  const answersAlone = async () => {
    const answers: Answer[] = []
    for (let times = 0; times < 10; times++) answers.push(await ask('GET'))
    return new Set(answers.map(({ status, body }) => `${status} ${body}`)).size === 1
  }

  test('is accepted by Caddy as it is', async () => {
    const [code] = await once(run('validate', '--config', RECIPE), 'exit')
    assert.equal(code, 0)
    const formatted = execFileSync(caddy!, ['fmt', RECIPE], { encoding: 'utf8' })
    assert.equal(formatted, readFileSync(RECIPE, 'utf8'))
  })

  test('passes the host, and the address that it saw instead of what a client claims', async () => {
    for (const { seen } of nodes) seen.length = 0
    const traceparent = `00-${'a'.repeat(32)}-1-01`
    const claims = {
      'x-forwarded-for': '203.0.113.9',
      'x-request-id': 'req_of_another',
      traceparent,
    }
    await ask('GET', claims)
    const [{ headers }] = nodes.flatMap(({ seen }) => seen) as [IncomingMessage]
    assert.deepEqual(
      [headers.host, headers['x-forwarded-for'], headers['x-forwarded-proto']],
      [HOST, '127.0.0.1', 'https'],
    )
    assert.match(`${headers['x-request-id']}`, /^[0-9a-f-]{36}$/)
    assert.equal(headers.traceparent, undefined)
  })

  test('repeats a read that a node drops at another node, and never a POST', async () => {
    nodes[0]!.state = 'drops requests'
    for (let times = 0; times < 6; times++) assert.equal((await ask('GET')).status, 200)
    nodes[1]!.state = 'drops requests'
    assert.equal((await ask('POST')).status, 503)
    assert.equal(posts().length, 1)
    for (const node of nodes) node.state = 'ready'
  })

  test('takes a node out while it answers 503, and back afterwards', async () => {
    // The test before left a node out for some seconds.
    await eventually('both nodes', async () => !(await answersAlone()))
    nodes[0]!.state = 'not ready'
    await eventually('one node', answersAlone)
    assert.match((await ask('POST')).body, /^node/)
    nodes[0]!.state = 'ready'
    await eventually('both nodes', async () => !(await answersAlone()))
  })

  test('passes on a refusal of a node as it is', async () => {
    assert.deepEqual(await ask('POST', {}, '/busy'), {
      status: 503,
      body: 'busy',
      retry_after: undefined,
    })
  })

  test('answers 503 with a clear message if no node answers, in JSON for programs', async () => {
    for (const { server } of nodes) {
      server.close()
      server.closeAllConnections()
    }
    const page = await ask('GET', {}, '/manage/app/')
    assert.deepEqual([page.status, page.retry_after], [503, '5'])
    assert.match(page.body, /^The service is temporarily unavailable\. Try again/)
    for (const path of ['/api/v1/licenses/validate', '/o/token', '/mcp']) {
      const answer = await ask('POST', {}, path)
      assert.deepEqual([answer.status, answer.retry_after], [503, '5'], path)
      const { error, request_id, retry_after } = JSON.parse(answer.body)
      assert.deepEqual([error, retry_after], ['service_unavailable', 5], path)
      assert.match(request_id, /^[0-9a-f-]{36}$/, path)
    }
  })
})

function openNode(port: number): Node {
  const node: Node = { server: createServer(), state: 'ready', seen: [] }
  node.server.on('request', async (request, response) => {
    if (node.state === 'not ready') return response.writeHead(503).end('not ready')
    if (request.url === '/readyz') return response.end('ready')
    if (request.url === '/busy') return response.writeHead(503).end('busy')
    node.seen.push(request)
    await text(request)
    if (node.state === 'drops requests') return request.socket.destroy()
    response.end(`node ${port}`)
  })
  node.server.listen(port, '127.0.0.1')
  return node
}
