import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import type { Fault } from './fault.ts'
import { underLoad } from './under-load.ts'

const SLOW_MS = 1_000

/** A mail server in one of several states, on one port. */
interface MailServer {
  port: number
  state: 'answers' | 'refuses' | 'is slow' | 'hangs'
  close(): void
}

const STATES = ['refuses', 'is slow', 'hangs'] as const

/** A mail server that refuses, is slow or hangs: buyers do not notice, and mail goes out later. */
export const MAIL_FAULTS: readonly Fault[] = STATES.map((state) => ({
  name: `smtp: ${state}`,
  async run(suite) {
    const mail = await openMailServer()
    try {
      const settings = { SMTP_URL: `smtp://127.0.0.1:${mail.port}` }
      return await underLoad(suite, { settings }, async ({ load }) => {
        mail.state = state
        await load.purchases(2)
        const failed = load.answers.find(({ status }) => status === 0 || status >= 500)
        assert.equal(failed, undefined, 'no visitor depends on the mail server')
        mail.state = 'answers'
        await load.purchases(1)
        return 1
      })
    } finally {
      mail.close()
    }
  },
}))

async function openMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const mail: MailServer = { port: 0, state: 'answers', close: () => {} }
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onMailFrom(_address, _session, callback) {
      if (mail.state === 'is slow') await pause(SLOW_MS)
      callback(mail.state === 'refuses' ? new Error('try again later') : undefined)
    },
    onData(stream, _session, callback) {
      stream.resume().on('end', () => {
        if (mail.state !== 'hangs') callback()
      })
    },
  })
  smtp.on('error', () => {})
  const front: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (mail.state === 'hangs') socket.resume()
    else smtp.server.emit('connection', socket)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  mail.port = (front.address() as AddressInfo).port
  mail.close = () => {
    for (const socket of sockets) socket.destroy()
    front.close()
  }
  return mail
}
