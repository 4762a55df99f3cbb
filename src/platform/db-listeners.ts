import pg from 'pg'
import type { Reconnecting } from '#platform/reconnecting'

interface Listener {
  channel: string
  onMessage: (payload: string) => void
  /** Called when messages may have been missed. */
  onLost: () => void
}

/** Who listens to which channels over one connection, also after it was replaced. */
export class Listeners {
  #all: Listener[] = []

  /** Listens over a connection, from now on. */
  async add(connection: Reconnecting, listener: Listener): Promise<void> {
    this.#all.push(listener)
    await connection.query(listenTo(listener))
    listener.onLost()
  }

  /** Listens over a new connection. */
  async resume(client: pg.Client): Promise<void> {
    client.on('notification', ({ channel, payload = '' }) => {
      for (const each of this.#all) if (each.channel === channel) each.onMessage(payload)
    })
    for (const each of this.#all) {
      await client.query(listenTo(each))
      each.onLost()
    }
  }
}

function listenTo({ channel }: Listener): string {
  return `listen ${pg.escapeIdentifier(channel)}`
}
