import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { which } from '../../scripts/chromium.ts'

/** The Firefox installed on this machine, driven by WebDriver BiDi. */
export interface Firefox {
  /** Opens a tab with cookies of its own. */
  newPage(): Promise<FirefoxTab>
  close(): Promise<void>
}

export interface FirefoxTab {
  open(url: string): Promise<void>
  url(): Promise<string>
  /** Runs a function on the page and returns its result, a string or a boolean. */
  run(source: string): Promise<unknown>
}

/** The path of Firefox: `FIREFOX`, or where it is usually installed; undefined if there is none. */
export function findFirefox(): string | undefined {
  return process.env.FIREFOX ?? which('firefox-esr') ?? which('firefox')
}

/** Starts Firefox headless with a new profile. */
export async function launchFirefox(path: string): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0']
  const child = spawn(path, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const { send, close } = await connect(await addressOf(child.stderr))
  await send('session.new', { capabilities: {} })
  return {
    async newPage() {
      const { userContext } = await send('browser.createUserContext', {})
      const { context } = await send('browsingContext.create', { type: 'tab', userContext })
      return tabOf(send, String(context))
    },
    async close() {
      close()
      child.kill()
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Answer = Record<string, unknown>
type Send = (method: string, params: object) => Promise<Answer>

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const address = /^WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (address) {
      output.resume()
      return address
    }
  }
  throw new Error('Firefox ended before it listened')
}

async function connect(address: string): Promise<{ send: Send; close(): void }> {
  const socket = new WebSocket(`${address}/session`)
  const open = new Map<number, PromiseWithResolvers<Answer>>()
  let count = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message } = JSON.parse(String(data))
    if (type === 'success') open.get(id)?.resolve(result)
    else open.get(id)?.reject(new Error(message))
    open.delete(id)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('Firefox refused the connection')))
  })
  return {
    send(method, params) {
      const answer = Promise.withResolvers<Answer>()
      open.set(++count, answer)
      socket.send(JSON.stringify({ id: count, method, params }))
      return answer.promise
    },
    close: () => socket.close(),
  }
}

function tabOf(send: Send, context: string): FirefoxTab {
  return {
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'none' })
    },
    async url() {
      const { contexts } = await send('browsingContext.getTree', { root: context })
      return (contexts as { url: string }[])[0]!.url
    },
    async run(source) {
      const target = { context }
      const call = { functionDeclaration: source, target, awaitPromise: false }
      const { result } = await send('script.callFunction', call)
      return (result as { value?: unknown } | undefined)?.value
    },
  }
}
