import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { Log } from '#platform/log'

/**
 * What a running service answers to a command on the same machine. The embedded database belongs
 * to one process, so a command that needs it sends a request over a Unix socket in the data folder
 * (decision 86). Only the folder's owner can open the socket.
 */
const ControlAnswer = z.union([z.object({ text: z.string() }), z.object({ fault: z.string() })])
export type ControlAnswer = z.infer<typeof ControlAnswer>

const MAX_REQUEST_LENGTH = 4096
const PATIENCE_MS = 10_000

/** Answers commands until the returned function is called. The folder must be locked (lock.ts). */
export async function listenControl(
  folder: string,
  log: Log,
  answer: (request: unknown) => Promise<ControlAnswer>,
): Promise<() => Promise<void>> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    serve(socket, answer).catch((error) => {
      log.error({ error }, 'command failed')
      socket.destroy()
    })
  })
  try {
    const path = ownSocket(folder)
    // A process that was killed leaves its socket behind; the lock says that it is gone.
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve)
    })
    chmodSync(path, 0o600)
  } catch (error) {
    log.warn({ error }, 'commands that need the database work only while the service is stopped')
    return async () => {}
  }
  server.unref()
  return async () => {
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Only the owner may enter the folder, so the socket is never open to others. */
function ownSocket(folder: string): string {
  const inside = join(folder, 'control')
  mkdirSync(inside, { recursive: true, mode: 0o700 })
  chmodSync(inside, 0o700)
  return socketOf(folder)
}

/** The shorter spelling: operating systems limit the path of a socket to about a hundred bytes. */
function socketOf(folder: string): string {
  const path = join(folder, 'control', 'socket')
  const short = relative(process.cwd(), path)
  return short.length < path.length ? short : path
}

async function serve(
  socket: Socket,
  answer: (request: unknown) => Promise<ControlAnswer>,
): Promise<void> {
  socket.setTimeout(PATIENCE_MS, () => socket.destroy())
  let received = ''
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    received += chunk
    if (received.length > MAX_REQUEST_LENGTH) return void socket.destroy()
  }
  // The work may take longer than a slow request may.
  socket.setTimeout(0)
  socket.end(JSON.stringify(await answer(JSON.parse(received))))
}

/** The answer of the service that runs on a folder; undefined if none listens there. */
export async function askControl(
  folder: string,
  request: unknown,
  patience_ms = PATIENCE_MS,
): Promise<ControlAnswer | undefined> {
  const socket = connect({ path: socketOf(folder) })
  socket.setTimeout(patience_ms, () => socket.destroy(new Error('The service did not answer.')))
  try {
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject)
    })
  } catch {
    return undefined
  }
  socket.end(JSON.stringify(request))
  return ControlAnswer.parse(JSON.parse(await text(socket)))
}
