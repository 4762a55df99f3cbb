import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** Replaces an account's recovery codes, given as keyed hashes; earlier ones stop working. */
export async function replaceRecoveryCodes(
  db: Db,
  now: Date,
  facts: { user_id: UserId; code_hashes: Buffer[] },
): Promise<void> {
  await dropRecoveryCodes(db, facts.user_id)
  await db.run(sql`insert into recovery_codes (code_hash, user_id, created_at)
    select code_hash, ${facts.user_id}, ${now}
    from unnest(${facts.code_hashes}::bytea[]) as code_hash`)
}

/** Uses a recovery code up, found by its hash under any key; false if it is wrong or was used. */
export async function useRecoveryCode(
  db: Db,
  now: Date,
  facts: { user_id: UserId; code_hashes: Buffer[] },
): Promise<boolean> {
  const used = await db.run(sql`update recovery_codes set used_at = ${now}
    where user_id = ${facts.user_id} and code_hash = any(${facts.code_hashes}::bytea[])
      and used_at is null`)
  return used === 1
}

/** Deletes an account's recovery codes. */
export async function dropRecoveryCodes(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from recovery_codes where user_id = ${user_id}`)
}
