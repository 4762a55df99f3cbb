import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import type { DemoFacts } from '../../src/demo/seed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A service in a separate process, as an operator starts it. */
export interface Running {
  process: ChildProcess
  base_url: string
  /** Everything that it printed. */
  output(): string
  /** Its exit code, once it has exited. */
  exit: Promise<number | null>
}

const children = new Set<ChildProcess>()

/** Ends processes that a failed test has left running. */
export function endProcesses(): void {
  for (const child of children) {
    child.kill('SIGKILL')
    // A process that it started may still write to them.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }
}

/** Starts a file with settings and waits until it reports that it is ready, or exits. */
export function startProcess(file: string, settings: Record<string, string>): Promise<Running> {
  return startCommand(process.execPath, ['--import', './scripts/register-tsx.mjs', file], settings)
}

/** Starts a command with settings and waits until it reports that it is ready, or exits. */
export async function startCommand(
  command: string,
  args: string[],
  settings: Record<string, string>,
): Promise<Running> {
  const port = settings.PORT ?? String(await freePort())
  const child = spawn(command, args, {
    cwd: root,
    // Ignores a developer's own `.env`.
    env: { PATH: process.env.PATH, ENV_FILE: devNull, LOG_LEVEL: 'info', PORT: port, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let output = ''
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (/\bPurser is ready\b/.test(output)) resolve()
      })
    }
  })
  await Promise.race([ready, exit])
  return { process: child, base_url: `http://localhost:${port}`, output: () => output, exit }
}

/** The content of `demo.json`. */
export function readDemo(data_dir: string): DemoFacts {
  return JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
}

/** A request as the Agent and the tests send it. */
export interface Injected {
  method?: string
  url: string
  remoteAddress?: string
  headers?: Record<string, string>
  payload?: string | Buffer
}

/**
 * A remote server, behind the part of Fastify's interface that the Agent and the tests use; `send`
 * may send a request in another way than `fetch`.
 */
export function overHttp(
  base_url: string,
  send: (url: string, init: RequestInit, request: Injected) => Promise<Response> = fetch,
): FastifyInstance {
  const inject = async (request: Injected) => {
    const { method = 'GET', url, headers = {}, payload } = request
    const init: RequestInit = {
      method,
      redirect: 'manual',
      headers: Object.entries(headers).filter(([name]) => name !== 'host'),
      ...(payload === undefined ? {} : { body: payload as BodyInit }),
    }
    const answer = await send(base_url + url, init, request)
    const body = await answer.text()
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      cookies: answer.headers.getSetCookie().map((cookie) => {
        const [pair = ''] = cookie.split(';')
        const at = pair.indexOf('=')
        return { name: pair.slice(0, at), value: pair.slice(at + 1) }
      }),
      body,
      json: () => JSON.parse(body),
    }
  }
  return { inject } as unknown as FastifyInstance
}
