import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import { DEFAULT_SCOPES, type Scope } from './scope.ts'

/** A person and the client of the requesting app. */
export interface Party {
  user_id: UserId
  client_id: string
}

/** Records the scopes that a person agreed to share, in addition to earlier ones. */
export async function grantConsent(
  db: Db,
  now: Date,
  consent: Party & { scopes: string[] },
): Promise<void> {
  await db.run(sql`insert into consents (user_id, client_id, scopes, granted_at)
    values (${consent.user_id}, ${consent.client_id}, ${consent.scopes}, ${now})
    on conflict (user_id, client_id) do update set granted_at = excluded.granted_at,
      withdrawn_at = null,
      scopes = array(select distinct unnest(consents.scopes || excluded.scopes) order by 1)`)
}

/**
 * The scopes that a person agreed to share with an app. Buying it includes an app's default scopes:
 * buyers come back from the checkout signed in (spec: What the service does, 1). A plan that the
 * seller gave or imported does not: the seller chose whose it is, and would learn who visits the
 * app. A person who withdrew the consent is asked again, until the next purchase.
 */
export async function agreedScopes(db: Db, party: Party): Promise<string[]> {
  const { scopes } = await db.one<{ scopes: string[] }>(sql`select
    ${agreed(party.user_id, sql`${party.client_id}`)} as scopes`)
  return [...new Set(scopes)]
}

function agreed(user_id: UserId, client_id: Sql): Sql {
  return sql`coalesce((select scopes from consents
      where user_id = ${user_id} and client_id = ${client_id}), '{}')
    || case when exists (select 1 from licenses l join clients c on c.app_id = l.app_id
      left join consents k on k.client_id = c.client_id and k.user_id = l.user_id
      where c.client_id = ${client_id} and l.user_id = ${user_id}
        and l.origin not in ('comp', 'import')
        and l.created_at > coalesce(k.withdrawn_at, '-infinity'))
      then ${[...DEFAULT_SCOPES]}::text[] else '{}' end`
}

/** An app that a person signed in to, as it is listed for them. */
export interface ConnectedApp {
  client_id: string
  app_name: string
  app_url: string
  scopes: Scope[]
  /** When the person agreed; for a buyer who was not asked, when they first signed in. */
  granted_at: Date
}

/** The apps that a person consented to or signed in to, by name. */
export async function listApps(db: Db, now: Date, user_id: UserId): Promise<ConnectedApp[]> {
  const rows = await db.rows<ConnectedApp>(sql`
    select n.client_id, a.name as app_name, a.url as app_url,
      ${agreed(user_id, sql`n.client_id`)} as scopes,
      coalesce(k.granted_at, g.since) as granted_at
    from clients n join apps a on a.id = n.app_id
      left join consents k on k.client_id = n.client_id and k.user_id = ${user_id}
        and k.withdrawn_at is null
      left join (select client_id, min(created_at) as since from oidc_records
        where user_id = ${user_id} and kind = 'Grant' and expires_at > ${now}
        group by client_id) g on g.client_id = n.client_id
    where k.client_id is not null or g.client_id is not null
    order by lower(a.name), n.client_id`)
  return rows.map(({ scopes, ...app }) => ({
    ...app,
    scopes: DEFAULT_SCOPES.filter((each) => scopes.includes(each)),
  }))
}

/** Withdraws a person's consent to an app, explicit or by purchase. */
export async function withdrawConsent(db: Db, now: Date, party: Party): Promise<void> {
  await db.run(sql`insert into consents (user_id, client_id, scopes, granted_at, withdrawn_at)
    values (${party.user_id}, ${party.client_id}, '{}', ${now}, ${now})
    on conflict (user_id, client_id) do update set scopes = '{}', withdrawn_at = ${now}`)
}

/** Deletes every consent of a person, and everything that apps and agents got by one. */
export async function deleteConsentsOf(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from oidc_records where user_id = ${user_id}`)
  await db.run(sql`delete from consents where user_id = ${user_id}`)
}
