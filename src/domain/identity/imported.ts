import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { readEmail } from './email.ts'

/**
 * Which of these addresses are known from an import only: the mailbox was never confirmed, and the
 * account has no password and no order.
 */
export async function knownFromImport(db: Db, emails: readonly string[]): Promise<Set<string>> {
  const normalized = new Map(emails.map((each) => [readEmail(each)?.email_normalized, each]))
  const asked = [...normalized.keys()].filter((each) => each !== undefined)
  const rows = await db.rows<{ email_normalized: string }>(sql`select u.email_normalized
    from users u where u.email_normalized = any(${asked}::text[])
      and u.created_via = 'import' and u.email_verified_at is null and u.password_hash is null
      and not exists (select 1 from orders o where o.user_id = u.id)`)
  return new Set(rows.map(({ email_normalized }) => normalized.get(email_normalized)!))
}
