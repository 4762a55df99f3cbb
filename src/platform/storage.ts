import { AwsClient } from 'aws4fetch'
import { assertNoTransaction, type Db } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { Bucket } from '#platform/storage-url'

/** A file and its content type. */
export interface StoredFile {
  content: Buffer
  type: string
}

/**
 * Files of the service by key, such as the pictures of apps. No call is made while a transaction is
 * open, because the files may be outside of the database.
 */
export interface FileStorage {
  /** Stores a file; an earlier one with this key is replaced. */
  put(now: Date, key: string, file: StoredFile): Promise<void>
  /** The content of a file; undefined if there is none. */
  get(key: string): Promise<Buffer | undefined>
  /** Deletes a file. One that does not exist is no error. */
  remove(key: string): Promise<void>
}

/** Opens the storage that the settings name: a bucket, or the database. */
export function openStorage(db: Db, bucket: Bucket | undefined): FileStorage {
  return bucket ? bucketStorage(bucket) : databaseStorage(db)
}

function databaseStorage(db: Db): FileStorage {
  return {
    async put(now, key, { content }) {
      assertNoTransaction('a file is stored')
      await db.run(sql`insert into stored_files (key, content, created_at)
        values (${key}, ${content}, ${now})
        on conflict (key) do update set content = excluded.content`)
    },
    async get(key) {
      const found = await db.maybe<{ content: Buffer }>(
        sql`select content from stored_files where key = ${key}`,
      )
      return found?.content
    },
    async remove(key) {
      assertNoTransaction('a file is removed')
      await db.run(sql`delete from stored_files where key = ${key}`)
    },
  }
}

const TIMEOUT_SECONDS = 10
const RETRIES = 2

/** Each request is signed with AWS Signature Version 4, its body included. */
function bucketStorage({ url, access_key_id, secret_access_key, region }: Bucket): FileStorage {
  const client = new AwsClient({
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    service: 's3',
    region,
    retries: RETRIES,
  })
  /** What the bucket answers; undefined if it has nothing there. */
  async function ask(method: 'GET' | 'PUT' | 'DELETE', key: string, file?: StoredFile) {
    assertNoTransaction('the storage is called')
    const response = await client.fetch(`${url}/${key}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      headers: {
        // The library signs the body only if it is given the digest.
        'x-amz-content-sha256': sha256(file?.content ?? '').toString('hex'),
        ...(file ? { 'content-type': file.type } : {}),
      },
      ...(file ? { body: new Uint8Array(file.content) } : {}),
    })
    // Read whatever the status is: what is not read keeps its connection.
    const content = Buffer.from(await response.arrayBuffer())
    if (response.ok) return content
    if (response.status === 404) return undefined
    throw new Error(`the storage responded ${response.status} to ${method} ${key}`)
  }
  return {
    async put(_now, key, file) {
      const answer = await ask('PUT', key, file)
      if (!answer) throw new Error(`the storage has no bucket at ${url}`)
    },
    get: (key) => ask('GET', key),
    async remove(key) {
      await ask('DELETE', key)
    },
  }
}
