import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Limit, type Limits, openLimits } from '#platform/limits'
import { openLog } from '#platform/log'
import { which } from '../../scripts/chromium.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'

const log = openLog('silent')
const LIMIT: Limit = { name: 'shells', points: 3, seconds: 60 }
const program = which('valkey-server') ?? which('redis-server')
const SKIP = !program && 'no Valkey server here (apt-get install valkey or redis-server)'

const opened: Limits[] = []
const servers = new Set<ChildProcess>()
after(async () => {
  for (const limits of opened) await limits.close()
  for (const server of servers) server.kill('SIGKILL')
})

function limitsAt(port: number, onFallback?: () => void): Limits {
  const limits = openLimits(`redis://127.0.0.1:${port}`, log, { onFallback })
  opened.push(limits)
  return limits
}

async function startServer(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
  const server = spawn(program!, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  servers.add(server)
  let said = ''
  while (!said.includes('Ready to accept')) said += String((await once(server.stdout!, 'data'))[0])
  return server
}

/** Takes points of a new key from both until they see each other's: they share the server. */
async function share(left: Limits, right: Limits): Promise<void> {
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 100, 'the two never shared a limit')
    const key = `share-${randomUUID()}`
    await left.consume(LIMIT, key)
    if ((await right.consume(LIMIT, key)).remaining === 1) return
    await pause(50)
  }
}

/** The milliseconds that it takes to get a point, which must be allowed. */
async function took(limits: Limits, key: string): Promise<number> {
  const start = performance.now()
  assert.equal((await limits.consume(LIMIT, key)).allowed, true)
  return performance.now() - start
}

describe('limits in Valkey', () => {
  test('are shared by two processes, and counted by each process when it is lost', {
    skip: SKIP,
  }, async () => {
    const port = await freePort()
    const server = await startServer(port)
    const [left, right] = [limitsAt(port), limitsAt(port)]
    await share(left, right)
    await left.consume(LIMIT, 'one')
    await right.consume(LIMIT, 'one')
    assert.equal((await left.consume(LIMIT, 'one')).remaining, 0)
    assert.equal((await right.consume(LIMIT, 'one')).allowed, false)
    server.kill('SIGKILL')
    await once(server, 'exit')
    assert.equal((await left.consume(LIMIT, 'one')).allowed, true)
  })

  test('let one of the attempts pass that two processes count at the same time', {
    skip: SKIP,
  }, async () => {
    const port = await freePort()
    await startServer(port)
    let fallbacks = 0
    const limits = () => limitsAt(port, () => fallbacks++)
    const both = [limits(), limits()] as const
    const delay = { name: 'guesses', free: 2, most_seconds: 900, memory_seconds: 3600 }
    const attemptAtOnce = async (key: string) => {
      await share(...both)
      fallbacks = 0
      const attempts = Array.from({ length: 20 }, (_, at) => both[at % 2]!.delay(delay, key))
      return await Promise.all(attempts)
    }
    let waits = await attemptAtOnce('try-0')
    // On a busy machine an answer may be late; then each process counts alone, as it should.
    for (let tries = 1; fallbacks > 0; tries++) {
      assert.ok(tries < 20, 'the server never answered all attempts in time')
      waits = await attemptAtOnce(`try-${tries}`)
    }
    assert.equal(waits.filter((seconds) => seconds === 0).length, 3, `${waits}`)
  })

  // R6
  test('cost one short wait while the server hangs, and are shared again afterwards', {
    skip: SKIP,
  }, async () => {
    const port = await freePort()
    const server = await startServer(port)
    const [left, right] = [limitsAt(port), limitsAt(port)]
    await share(left, right)
    server.kill('SIGSTOP')
    assert.ok((await took(left, 'hung')) < 500)
    await pause(200)
    // The connection was closed, so that no other request waits.
    let waited = 0
    for (let index = 0; index < 20; index++) waited += await took(left, `hung-${index}`)
    assert.ok(waited < 500, `twenty took ${waited} ms`)
    server.kill('SIGCONT')
    await share(left, right)
  })

  // R6
  test('are counted by each process while nothing listens, and shared as soon as it does', {
    skip: SKIP,
  }, async () => {
    const port = await freePort()
    const [left, right] = [limitsAt(port), limitsAt(port)]
    assert.ok((await took(left, 'early')) < 500)
    await startServer(port)
    await share(left, right)
  })

  // R6
  test('are counted by each process if the server accepts connections and never responds', async () => {
    const mute = createServer((socket) => socket.on('error', () => {}).resume())
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const limits = limitsAt((mute.address() as { port: number }).port)
    for (let index = 0; index < 5; index++) {
      assert.ok((await took(limits, `mute-${index}`)) < 500)
      await pause(60)
    }
    mute.close()
  })
})
