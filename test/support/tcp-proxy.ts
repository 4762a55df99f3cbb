import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that can swallow all traffic, or cut connections. */
export interface TcpProxy {
  port: number
  /**
   * Stops all traffic in both directions, on open and new connections: the peer is silent, as after
   * a lost route. `false` restores traffic on new connections.
   */
  silence(on: boolean): void
  /** Closes every open connection, and each new one at once, as a server that is down. */
  refuse(on: boolean): void
  close(): Promise<void>
}

/** Opens a proxy in front of a server on the loopback. */
export async function openTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let isGone = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    if (isGone) near.destroy()
    if (isSilent || isGone) return
    const far = keep(connect(target.port, target.host))
    near.on('data', (chunk) => isSilent || far.destroyed || far.write(chunk))
    far.on('data', (chunk) => isSilent || near.destroyed || near.write(chunk))
    near.on('close', () => far.destroy())
    far.on('close', () => isSilent || near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    silence(on) {
      isSilent = on
    },
    refuse(on) {
      isGone = on
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
