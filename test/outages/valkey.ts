import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { which } from '../../scripts/chromium.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import type { Fault } from './fault.ts'
import type { Load } from './load.ts'
import { underLoad } from './under-load.ts'

const program = which('valkey-server') ?? which('redis-server')
const skip = () => (program ? undefined : 'no Valkey (apt-get install valkey or redis-server)')
const SLOW_MS = 400

/** A Valkey that is dead, hangs, or answers slowly: limits are counted by the node alone. */
export const VALKEY_FAULTS: readonly Fault[] = [
  {
    name: 'valkey: dead, and started again',
    skip,
    async run(suite) {
      const port = await freePort()
      let server = await startValkey(port)
      try {
        return await underLoad(suite, settings(port), async ({ load }) => {
          server.kill('SIGKILL')
          await load.purchases(2)
          server = await startValkey(port)
          await load.purchases(1)
          assertNoRefusals(load)
          return 1
        })
      } finally {
        server.kill('SIGKILL')
      }
    },
  },
  {
    name: 'valkey: hung (SIGSTOP)',
    skip,
    async run(suite) {
      const port = await freePort()
      const server = await startValkey(port)
      try {
        return await underLoad(suite, settings(port), async ({ load }) => {
          server.kill('SIGSTOP')
          await load.purchases(2)
          server.kill('SIGCONT')
          await load.purchases(1)
          assertNoRefusals(load)
          return 1
        })
      } finally {
        server.kill('SIGKILL')
      }
    },
  },
  {
    name: 'valkey: slow',
    skip,
    async run(suite) {
      const port = await freePort()
      const server = await startValkey(port)
      const slow = await openSlowProxy(port)
      try {
        return await underLoad(suite, settings(slow.port), async ({ load }) => {
          await load.purchases(2)
          assertNoRefusals(load)
          return 1
        })
      } finally {
        slow.close()
        server.kill('SIGKILL')
      }
    },
  },
]

const settings = (port: number) => ({ settings: { VALKEY_URL: `redis://127.0.0.1:${port}` } })

/** Nothing that a visitor asks for depends on Valkey. */
function assertNoRefusals({ answers }: Load): void {
  const refused = answers.find(({ status }) => status === 0 || status >= 500)
  if (refused) throw new Error(`without Valkey, ${refused.what} was answered ${refused.status}`)
}

async function startValkey(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
  const server = spawn(program!, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  while (!said.includes('Ready to accept')) said += String((await once(server.stdout!, 'data'))[0])
  server.stdout!.resume()
  return server
}

/** A proxy that passes every answer on late. */
async function openSlowProxy(target: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.pipe(far)
    far.on('data', (chunk) => {
      setTimeout(() => near.destroyed || near.write(chunk), SLOW_MS).unref()
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
