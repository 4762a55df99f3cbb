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

/** A service in a process of its own, as an operator starts it. */
export interface Running {
  process: ChildProcess
  base_url: string
  /** All that it printed. */
  output(): string
  /** What it exits with; waits for that. */
  exit: Promise<number | null>
}

const children = new Set<ChildProcess>()

/** Ends what a test that failed has left running. */
export function endProcesses(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Starts a file with settings and waits until it says that it is ready, or ends. */
export async function startProcess(
  file: string,
  settings: Record<string, string>,
): Promise<Running> {
  const port = settings.PORT ?? String(await freePort())
  const child = spawn(process.execPath, ['--import', './scripts/register-tsx.mjs', file], {
    cwd: root,
    // A developer's own `.env` is not read.
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
        if (/^Purser is ready/m.test(output)) resolve()
      })
    }
  })
  await Promise.race([ready, exit])
  return { process: child, base_url: `http://localhost:${port}`, output: () => output, exit }
}

/** What the demo wrote for programs. */
export function readDemo(data_dir: string): DemoFacts {
  return JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
}

/** A server somewhere else, dressed as the part of Fastify that the Agent and the tests use. */
export function overHttp(base_url: string): FastifyInstance {
  const inject = async (options: {
    method?: string
    url: string
    headers?: Record<string, string>
    payload?: string
  }) => {
    const answer = await fetch(base_url + options.url, {
      method: options.method ?? 'GET',
      redirect: 'manual',
      headers: Object.entries(options.headers ?? {}).filter(([name]) => name !== 'host'),
      ...(options.payload === undefined ? {} : { body: options.payload }),
    })
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
