import assert from 'node:assert/strict'
import * as apps from '#domain/apps'
import type { ListedVersion, ListingWriteResult, RefusedWrite } from '#flows/listing'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { TestService } from './service.ts'

/** The cast's app, and its seller as the actor. */
export async function ownApp(
  { world, demo }: TestService,
  slug = demo.app.slug,
): Promise<{ app: apps.App; actor: ActorOf<'seller'> }> {
  const { id } = await world.db.one<{ id: AppId }>(sql`select id from apps where slug = ${slug}`)
  const app = await apps.get(world.db, id)
  const user_id = await ownerOf(world.db, app)
  return { app, actor: { kind: 'seller', user_id, request_id: 'req_test' } }
}

/** The account that owns the seller of an app. */
export async function ownerOf(db: Db, { seller_id }: apps.App): Promise<UserId> {
  const { user_id } = await db.one<{ user_id: UserId }>(sql`select user_id from seller_members
    where seller_id = ${seller_id} and role = 'owner'`)
  return user_id
}

/** The result of a change that must have been made. */
export function requireWritten<State>(
  outcome: ListingWriteResult<State> | RefusedWrite | string,
): ListingWriteResult<State> {
  if (typeof outcome === 'string' || 'faults' in outcome) assert.fail(JSON.stringify(outcome))
  return outcome
}

/** The paths of the errors of a rejected change. */
export function faultPaths(outcome: ListingWriteResult<unknown> | RefusedWrite | string): string[] {
  if (typeof outcome === 'string' || !('faults' in outcome)) assert.fail(JSON.stringify(outcome))
  return outcome.faults.map(({ path }) => path)
}

/** A version as the input that leaves it unchanged. */
export function asVersionInput({ product_public_id, name, is_free, prices }: ListedVersion) {
  return {
    product_id: product_public_id,
    name,
    is_free,
    prices: prices.map(({ amount, frequency }) => ({ amount, frequency })),
  }
}

/** All rows that a seller's agent could write, as one text, to assert that nothing was written. */
export async function sellersTables({ db }: TestService['world']): Promise<string> {
  const tables = [
    'apps',
    'clients',
    'sellers',
    'seller_members',
    'products',
    'prices',
    'listing_sections',
    'listing_features',
    'listing_feature_products',
    'listing_names',
    'listing_app_names',
    'app_changes',
    'secret_claims',
  ]
  const parts = tables.map(
    (table) =>
      `(select coalesce(string_agg(t::text, E'\\n' order by t::text), '') from ${table} t)`,
  )
  const { rows } = await db.raw(`select md5(concat_ws('|', ${parts.join(', ')})) as digest`)
  return (rows[0] as { digest: string }).digest
}
