import { type ChildProcess, spawn } from 'node:child_process'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from '../../scripts/throwaway-postgres.ts'

const PATIENCE_MS = 60_000

/** A seller's site in a process of its own. */
export interface SiteProcess extends AsyncDisposable {
  port: number
  /** What it has printed so far. */
  output(): string
}

/**
 * Starts a site with `PORT` set, and waits until it answers. Throws with its output if it exits.
 */
export async function startSite(
  command: readonly string[],
  facts: { cwd: string; env: Record<string, string | undefined>; port?: number },
): Promise<SiteProcess> {
  const port = facts.port ?? (await freePort())
  const [program = '', ...args] = command
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...facts.env, PORT: String(port) }
  const site = spawn(program, args, { cwd: facts.cwd, env, detached: true })
  let output = ''
  for (const stream of [site.stdout, site.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const exited = new Promise<'exited'>((done) => site.once('close', () => done('exited')))
  const failed = new Promise<never>((_, reject) => site.once('error', reject))
  const stop = async () => {
    stopGroup(site)
    await exited
  }
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    const answer = await Promise.race([isListening(port), exited, failed])
    if (answer === true) return { port, output: () => output, [Symbol.asyncDispose]: stop }
    if (answer === 'exited') break
    await new Promise((done) => setTimeout(done, 100))
  }
  await stop()
  throw new Error(`${command.join(' ')} does not answer:\n${output}`)
}

/** Ends a site and what it started. */
function stopGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function isListening(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
    () => true,
    () => false,
  )
}

/** What a site answered. */
export interface SiteAnswer {
  status: number
  location: string | undefined
  body: string
}

/** A browser that keeps cookies, on a site behind a proxy that ends TLS. */
export class SiteBrowser {
  readonly cookies = new Map<string, string>()
  #port: number
  #origin: URL

  constructor({ port }: { port: number }, origin: string) {
    this.#port = port
    this.#origin = new URL(origin)
  }

  /** Requests a path or an address of the site; a form is sent with POST. Follows no redirect. */
  async open(address: string, form?: Record<string, string>): Promise<SiteAnswer> {
    const { pathname, search } = new URL(address, this.#origin)
    const body = form && new URLSearchParams(form).toString()
    const headers = {
      host: this.#origin.host,
      'x-forwarded-proto': this.#origin.protocol.slice(0, -1),
      cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(form && { origin: this.#origin.origin }),
    }
    const facts = { port: this.#port, host: '127.0.0.1', path: pathname + search, headers }
    const answer = await new Promise<IncomingMessage>((done, fail) => {
      const sent = request({ ...facts, method: form ? 'POST' : 'GET' }, done)
      sent.on('error', fail).end(body)
    })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0\b/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const { statusCode: status = 0 } = answer
    return { status, location: answer.headers.location, body: await text(answer) }
  }
}
