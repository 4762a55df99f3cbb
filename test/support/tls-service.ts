import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { makeCertificate } from './certificate.ts'
import { openTestService, type TestService } from './service.ts'
import { SharedClock } from './sign-in.ts'

/** A listening service behind TLS, as in production. */
export interface TlsService extends TestService {
  /** The settings with which Node.js, Python and Go trust its certificate. */
  trust: Record<string, string>
}

/** Opens a service whose base URL has HTTPS, for code that does not accept another. */
export async function openTlsService(): Promise<TlsService> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-tls-'))
  const { key, certificate } = makeCertificate(folder, ['localhost'])
  const [port, tls_port] = [await freePort(), await freePort()]
  const settings = { BASE_URL: `https://localhost:${tls_port}`, PORT: String(port) }
  const service = await openTestService({ clock: new SharedClock(), settings })
  await service.listen()
  const files = { key: readFileSync(key), cert: readFileSync(certificate) }
  const proxy = createServer(files, (incoming, answer) => {
    const { method, headers, url } = incoming
    const facts = { port, host: '127.0.0.1', method, path: url, headers }
    const forwarded = request(facts, (received) => {
      answer.writeHead(received.statusCode!, received.headers)
      received.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((done) => proxy.listen(tls_port, '127.0.0.1', done))
  return {
    ...service,
    trust: {
      NODE_EXTRA_CA_CERTS: certificate,
      SSL_CERT_FILE: certificate,
      REQUESTS_CA_BUNDLE: certificate,
    },
    async close() {
      proxy.closeAllConnections()
      await new Promise((done) => proxy.close(done))
      await service.close()
      mock.timers.reset()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
