import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { DEFAULT_SCOPES } from './scope.ts'

/** A person and the app's client that asks. */
export interface Party {
  user_id: string
  client_id: string
}

/** Notes what somebody agreed to share, beside what was agreed before. */
export async function agree(
  db: Db,
  now: Date,
  consent: Party & { scopes: string[] },
): Promise<void> {
  await db.run(sql`insert into consents (user_id, client_id, scopes, granted_at)
    values (${consent.user_id}, ${consent.client_id}, ${consent.scopes}, ${now})
    on conflict (user_id, client_id) do update set granted_at = excluded.granted_at,
      scopes = array(select distinct unnest(consents.scopes || excluded.scopes) order by 1)`)
}

/**
 * What somebody agreed to share with an app. Whoever bought it agreed by that to what an app gets
 * by default: buyers come back from the checkout signed in (spec: What the service does, 1).
 */
export async function agreedScopes(db: Db, party: Party): Promise<string[]> {
  const { scopes } = await db.one<{ scopes: string[] }>(sql`select
    coalesce((select scopes from consents
      where user_id = ${party.user_id} and client_id = ${party.client_id}), '{}')
    || case when exists (select 1 from licenses l join clients c on c.app_id = l.app_id
      where c.client_id = ${party.client_id} and l.user_id = ${party.user_id})
      then ${[...DEFAULT_SCOPES]}::text[] else '{}' end as scopes`)
  return [...new Set(scopes)]
}
