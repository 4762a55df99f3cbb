import pg from 'pg'
import { assertNoTransaction, type Database, insideTransaction, statements } from '#platform/db'
import type { Log } from '#platform/log'

const RECONNECT_MS = 500

/** Opens a pool on a PostgreSQL server, a pipelined client for hot reads and one for messages. */
export async function openPostgres(connectionString: string, log: Log): Promise<Database> {
  const pool = new pg.Pool({ connectionString, max: 10, application_name: 'purser' })
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection was lost'))
  await pool.query('select 1')

  const hot = new Reconnecting(() => new pg.Client({ connectionString, pipeline: true }), log)
  const listeners: Reconnecting[] = []

  return {
    engine: 'postgresql',
    ...statements({
      query(config, values) {
        assertNoTransaction('the database was used outside of the open transaction')
        return pool.query(config, values)
      },
    }),
    async tx(work) {
      return await insideTransaction(async () => {
        const client = await pool.connect()
        let broken: Error | undefined
        try {
          await client.query('begin')
          const result = await work(statements(client))
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch((lost: Error) => {
            broken = lost
          })
          throw error
        } finally {
          client.release(broken)
        }
      })
    },
    hot: statements({
      query: async (config, values) => (await hot.client()).query(config as string, values),
    }).maybe,
    async listen(channel, onMessage, onLost) {
      const listener = new Reconnecting(() => new pg.Client({ connectionString }), log, {
        async onConnect(client) {
          client.on('notification', (message) => onMessage(message.payload ?? ''))
          await client.query(`listen ${pg.escapeIdentifier(channel)}`)
          onLost()
        },
        eager: true,
      })
      listeners.push(listener)
      await listener.client()
    },
    async close() {
      await Promise.all([hot.close(), ...listeners.map((listener) => listener.close())])
      await pool.end()
    },
  }
}

interface ReconnectingOptions {
  onConnect?: (client: pg.Client) => Promise<void>
  /** Reconnects as soon as the connection is lost, and not only when it is next asked for. */
  eager?: boolean
}

/** One client that is replaced when it dies: a pipelined client is lost for good with its socket. */
class Reconnecting {
  #make: () => pg.Client
  #log: Log
  #options: ReconnectingOptions
  #current: Promise<pg.Client> | undefined
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(make: () => pg.Client, log: Log, options: ReconnectingOptions = {}) {
    this.#make = make
    this.#log = log
    this.#options = options
  }

  client(): Promise<pg.Client> {
    this.#current ??= this.#connect()
    return this.#current
  }

  async #connect(): Promise<pg.Client> {
    const client = this.#make()
    client.on('error', (error) => this.#lost(error))
    client.on('end', () => this.#lost(new Error('the connection ended')))
    try {
      await client.connect()
      await this.#options.onConnect?.(client)
      return client
    } catch (error) {
      this.#lost(error as Error)
      throw error
    }
  }

  #lost(error: Error): void {
    if (this.#closed || !this.#current) return
    this.#current.catch(() => {})
    this.#current = undefined
    this.#log.warn({ error }, 'a database connection was lost and will be replaced')
    if (!this.#options.eager) return
    this.#timer = setTimeout(() => this.client().catch(() => {}), RECONNECT_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = await this.#current?.catch(() => undefined)
    await client?.end()
  }
}
