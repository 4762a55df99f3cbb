import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { assertNoTransaction, type Db } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { Bucket } from '#platform/storage-url'

const MAX_MS = 10_000
const RETRIES = 2
const FIRST_WAIT_MS = 50

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

/**
 * Opens the storage that the settings name: a bucket, or the database. A call of a bucket takes
 * `most_ms` milliseconds at most, its retries included.
 */
export function openStorage(
  db: Db,
  bucket: Bucket | undefined,
  { most_ms = MAX_MS }: { most_ms?: number } = {},
): FileStorage {
  return bucket ? bucketStorage(bucket, most_ms) : databaseStorage(db)
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

type Method = 'GET' | 'PUT' | 'DELETE'

/** Each request is signed with AWS Signature Version 4, its body included. */
function bucketStorage(bucket: Bucket, most_ms: number): FileStorage {
  /** What the bucket answers; undefined if it has nothing there. */
  async function ask(method: Method, key: string, file?: StoredFile): Promise<Buffer | undefined> {
    assertNoTransaction('the storage is called')
    const signal = AbortSignal.timeout(most_ms)
    for (let retries = 0; ; retries++) {
      const { url, ...request } = await signed(bucket, method, key, file)
      // Not as a `Request`, whose abort is lost when that is collected.
      const response = await fetch(url, { ...request, redirect: 'manual', signal })
      // Read whatever the status is: what is not read keeps its connection.
      const content = Buffer.from(await response.arrayBuffer())
      if (response.ok) return content
      if (response.status === 404) return undefined
      const mayPass = response.status >= 500 || response.status === 429
      if (!mayPass || retries === RETRIES) {
        throw new Error(`the storage responded ${response.status} to ${method} ${key}`)
      }
      await wait(FIRST_WAIT_MS * 2 ** retries, undefined, { signal })
    }
  }
  return {
    async put(_now, key, file) {
      const answer = await ask('PUT', key, file)
      if (!answer) throw new Error(`the storage has no bucket at ${bucket.url}`)
    },
    get: (key) => ask('GET', key),
    async remove(key) {
      await ask('DELETE', key)
    },
  }
}

async function signed(bucket: Bucket, method: Method, key: string, file: StoredFile | undefined) {
  const body = file && new Uint8Array(file.content)
  const signer = new AwsV4Signer({
    method,
    url: `${bucket.url}/${key}`,
    accessKeyId: bucket.access_key_id,
    secretAccessKey: bucket.secret_access_key,
    service: 's3',
    region: bucket.region,
    headers: {
      // The library signs the body only if it is given the digest.
      'x-amz-content-sha256': sha256(file?.content ?? '').toString('hex'),
      ...(file ? { 'content-type': file.type } : {}),
    },
  })
  const { url, headers } = await signer.sign()
  return { url, method, headers, ...(body ? { body } : {}) }
}
