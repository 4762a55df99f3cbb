import pg from 'pg'
import type { Log } from '#platform/log'
import { withTimeout } from '#platform/with-timeout'

interface ReconnectingOptions {
  onConnect?: ((client: pg.Client) => Promise<void>) | undefined
  /**
   * How long a statement may take, with connecting, in milliseconds of this process's own time;
   * absent: as the client's own timers say, which a busy process finds expired beside the answer.
   */
  within_ms?: number | undefined
}

/** One client that is replaced at its next use when its connection is lost. */
export class Reconnecting {
  #make: () => pg.Client
  #log: Log
  #options: ReconnectingOptions
  #current: { client: pg.Client; ready: Promise<pg.Client> } | undefined
  #closed = false

  constructor(make: () => pg.Client, log: Log, options: ReconnectingOptions = {}) {
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
    const { within_ms } = this.#options
    if (within_ms === undefined) return await this.#send(config, values)
    const result = await withTimeout(this.#send(config, values), within_ms)
    if (result) return result
    this.reset()
    throw new Error('Connection terminated: the database does not answer')
  }

  async #send(config: pg.QueryConfig | string, values?: unknown[]): Promise<pg.QueryResult> {
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
      return client
    } catch (error) {
      this.#lost(client, error as Error)
      throw error
    }
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#closed || this.#current?.client !== client) return
    this.#current.ready.catch(() => {})
    this.#current = undefined
    // An unanswered query would keep the dead connection open: ending it destroys the socket.
    client.end().catch(() => {})
    this.#log.warn({ error }, 'database connection lost; will reconnect')
  }
}
