import pg from 'pg'
import type { Log } from '#platform/log'

const RECONNECT_MS = 500

interface Options {
  onConnect?: (client: pg.Client) => Promise<void>
  /**
   * How often the connection is checked. A lost one is reconnected at once instead of at its next
   * use.
   */
  heartbeat_ms?: number
}

/** One client that is replaced when its connection is lost. */
export class Reconnecting {
  #make: () => pg.Client
  #log: Log
  #options: Options
  #current: { client: pg.Client; ready: Promise<pg.Client> } | undefined
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(make: () => pg.Client, log: Log, options: Options = {}) {
    this.#make = make
    this.#log = log
    this.#options = options
  }

  /** The connected client. */
  client(): Promise<pg.Client> {
    this.#current ??= this.#connect()
    return this.#current.ready
  }

  /** Sends a statement. If the server does not answer in time, the connection is replaced. */
  async query(config: pg.QueryConfig | string, values?: unknown[]): Promise<pg.QueryResult> {
    const client = await this.client()
    try {
      return await client.query(config as string, values)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.#lost(client, error as Error)
      throw error
    }
  }

  /** Gives the connection up, if there is one: the next use opens another. */
  reset(): void {
    if (!this.#current) return
    const { client } = this.#current
    this.#lost(client, new Error('the database does not answer'))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = await this.#current?.ready.catch(() => undefined)
    await client?.end()
  }

  #connect() {
    const client = this.#make()
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection ended')))
    return { client, ready: this.#prepare(client) }
  }

  async #prepare(client: pg.Client): Promise<pg.Client> {
    try {
      await client.connect()
      await this.#options.onConnect?.(client)
      this.#beatLater()
      return client
    } catch (error) {
      this.#lost(client, error as Error)
      throw error
    }
  }

  #beatLater(): void {
    const { heartbeat_ms } = this.#options
    if (heartbeat_ms === undefined || this.#closed) return
    this.#timer = setTimeout(
      () =>
        this.query('select 1').then(
          () => this.#beatLater(),
          () => {},
        ),
      heartbeat_ms,
    )
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#closed || this.#current?.client !== client) return
    this.#current.ready.catch(() => {})
    this.#current = undefined
    // An unanswered query would keep the dead connection open: ending it destroys the socket.
    client.end().catch(() => {})
    this.#log.warn({ error }, 'database connection lost; will reconnect')
    if (this.#options.heartbeat_ms === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.client().catch(() => {}), RECONNECT_MS)
  }
}

/** The options of a connection that listens to a channel, also after it was lost. */
export function listening(
  channel: string,
  heartbeat_ms: number,
  { onMessage, onLost }: { onMessage: (payload: string) => void; onLost: () => void },
): Options {
  return {
    async onConnect(client) {
      client.on('notification', (message) => onMessage(message.payload ?? ''))
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      onLost()
    },
    heartbeat_ms,
  }
}
