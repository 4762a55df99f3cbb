import type { Db } from '#platform/db'
import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Membership } from './members.ts'
import type { SuspendedSeller } from './seller-list.ts'
import type { AcceptedTerms, Seller } from './sellers.ts'

/** Lets one transaction at a time mirror a seller of live mode. */
export async function lockMirror(tx: Db, id: SellerId): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${id}, 17))`)
}

/** Adds or updates a seller of live mode in test mode, with the terms that it accepted. */
export async function mirrorSeller(
  tx: Db,
  now: Date,
  seller: Seller,
  terms: AcceptedTerms | undefined,
): Promise<void> {
  const { id, legal_name, address, city, state, zip } = seller
  await tx.run(sql`insert into sellers (id, legal_name, address, city, state, zip,
      terms_accepted_at, terms_version, created_at)
    values (${id}, ${legal_name}, ${address}, ${city}, ${state}, ${zip}, ${terms?.at ?? null},
      ${terms?.version ?? null}, ${now})
    on conflict (id) do update set legal_name = excluded.legal_name, address = excluded.address,
      city = excluded.city, state = excluded.state, zip = excluded.zip,
      terms_accepted_at = excluded.terms_accepted_at, terms_version = excluded.terms_version
    where (sellers.legal_name, sellers.address, sellers.city, sellers.state, sellers.zip,
        sellers.terms_accepted_at, sellers.terms_version)
      is distinct from (excluded.legal_name, excluded.address, excluded.city, excluded.state,
        excluded.zip, excluded.terms_accepted_at, excluded.terms_version)`)
}

/** The sellers here whose suspension differs from live mode, where these alone are suspended. */
export async function differentSuspensions(
  db: Db,
  live: SuspendedSeller[],
): Promise<SuspendedSeller[]> {
  const ids = live.map(({ id }) => id)
  const times = live.map(({ suspended_at }) => suspended_at)
  return await db.rows<SuspendedSeller>(sql`select s.id, given.suspended_at from sellers s
    left join unnest(${ids}::text[], ${times}::timestamptz[]) as given (id, suspended_at)
      on given.id = s.id
    where (s.suspended_at is not null or s.id = any(${ids}))
      and s.suspended_at is distinct from given.suspended_at`)
}

/** Makes these accounts the members of a seller, and returns those who no longer are. */
export async function setMembers(
  tx: Db,
  now: Date,
  seller_id: SellerId,
  members: Pick<Membership, 'user_id' | 'role'>[],
): Promise<UserId[]> {
  const ids = members.map(({ user_id }) => user_id)
  const removed = await tx.rows<{ user_id: UserId }>(sql`delete from seller_members
    where seller_id = ${seller_id} and user_id <> all(${ids}) returning user_id`)
  // The former owner first: a seller never has two.
  const owner = members.find(({ role }) => role === 'owner')?.user_id ?? null
  await tx.run(sql`update seller_members set role = 'admin'
    where seller_id = ${seller_id} and role = 'owner' and user_id is distinct from ${owner}`)
  const roles = members.map(({ role }) => role)
  await tx.run(sql`insert into seller_members (seller_id, user_id, role, created_at)
    select ${seller_id}, user_id, role, ${now}::timestamptz
    from unnest(${ids}::text[], ${roles}::text[]) as given (user_id, role)
    on conflict (seller_id, user_id) do update set role = excluded.role
      where seller_members.role <> excluded.role`)
  return removed.map(({ user_id }) => user_id)
}

/** The sellers with a member who is signed in or has allowed an agent. */
export async function sellersInUse(db: Db): Promise<SellerId[]> {
  const rows = await db.rows<{ seller_id: SellerId }>(sql`
    select distinct m.seller_id from seller_members m
    where exists (select 1 from sessions s where s.user_id = m.user_id)
      or exists (select 1 from agent_grants g where g.user_id = m.user_id)`)
  return rows.map(({ seller_id }) => seller_id)
}
