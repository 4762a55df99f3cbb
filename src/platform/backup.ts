import { createWriteStream, rmSync } from 'node:fs'
import { link, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createGzip, gunzipSync } from 'node:zlib'
import { ConfigError } from '#platform/config'
import type { Database } from '#platform/db'

/** The file exists or cannot be written; its message says what to name instead. */
class BackupNotWritten extends ConfigError {
  readonly code: string | undefined

  constructor({ code, message }: NodeJS.ErrnoException) {
    const [what] = message.split(',', 1)
    super(
      `The backup was not written (${what}). Name a new file in a folder that exists, that the ` +
        'user of the service may write to, and that has enough space.',
    )
    this.code = code
  }
}

/** A name of its own for each backup of this process: two commands may name the same file. */
let backups_started = 0

/**
 * Writes a consistent copy of the embedded database to a new file that only its owner can read;
 * returns its size in bytes. The file either has the whole backup or does not exist. Throws a
 * ConfigError where it exists or cannot be written.
 */
export async function writeBackup(db: Database, file: string): Promise<number> {
  if (!db.copy) throw new Error('PostgreSQL has its own tools for backups')
  const copy = await db.copy()
  const unfinished = `${file}.${process.pid}-${++backups_started}.part`
  const output = createWriteStream(unfinished, { mode: 0o600, flags: 'wx', flush: true })
  try {
    const content = Readable.fromWeb(copy.stream() as ReadableStream)
    await pipeline(content, createGzip({ level: 1 }), output)
    // Unlike a rename, this fails where the file exists.
    await link(unfinished, file)
    return output.bytesWritten
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException
    throw syscall ? new BackupNotWritten(error as NodeJS.ErrnoException) : error
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** The content of a backup, to open a database from. */
export async function readBackup(file: string): Promise<Blob> {
  return new Blob([gunzipSync(await readFile(file))])
}
