import type { Database } from '#platform/db'
import type { AppId, LicenseId, ProductId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { EntitlementFacts } from './entitlement.ts'
import type { LicenseStatus } from './status.ts'

/** The entitlement that a valid bearer token gives access to. */
export interface TokenEntitlement extends EntitlementFacts {
  scopes: string[]
  /** The license, whether it entitles or not. */
  license_id: LicenseId | undefined
  /** Undefined if the token's client belongs to no app. */
  app_id: AppId | undefined
  addon_enabled: boolean
}

interface TokenRow {
  place: number
  scope: string | null
  app_id: AppId | null
  addon_enabled: boolean | null
  license_id: LicenseId | null
  status: LicenseStatus | null
  period_end: Date | null
  product_id: ProductId | null
  product_name: string | null
  free_id: ProductId | null
  free_name: string | null
}

/**
 * Finds the holders of access tokens and everything that decides their entitlements, in one
 * statement and in the order of the tokens. A token is not found if it is unknown, expired, revoked
 * or for another audience, or its account is locked (spec: Entitlement endpoint).
 */
export async function findByTokens(
  db: Database,
  now: Date,
  access_tokens: readonly string[],
): Promise<(TokenEntitlement | undefined)[]> {
  const rows = await db.hot<TokenRow>(sql`
    select q.place, t.scope, a.id as app_id,
      a.addon_enabled_at is not null and a.addon_disabled_at is null as addon_enabled,
      l.id as license_id, l.status, l.period_end, l.product_id, p.name as product_name,
      f.id as free_id, f.name as free_name
    from unnest(${access_tokens.map((_, place) => place)}::int[],
        ${access_tokens.map((token) => sha256(token))}::bytea[]) as q (place, id)
      join oidc_records t on t.id = q.id and t.kind = 'AccessToken' and t.audience is null
        and t.expires_at > ${now}
      join users u on u.id = t.user_id and u.locked_at is null
      join clients c on c.client_id = t.client_id
      left join apps a on a.id = c.app_id
      left join lateral (
        select id, status, period_end, product_id from licenses
        where app_id = a.id and user_id = t.user_id and status <> 'canceled'
        order by status in ('active', 'trialing', 'one_time_active') desc, status = 'preview' desc
        limit 1
      ) l on true
      left join products p on p.id = l.product_id
      left join products f on f.app_id = a.id and f.is_free and f.deleted_at is null`)
  const found = new Map(rows.map((row) => [row.place, holdingOf(row)]))
  return access_tokens.map((_, place) => found.get(place))
}

function holdingOf(row: TokenRow): TokenEntitlement {
  const { status, period_end, product_id, product_name, free_id, free_name } = row
  return {
    scopes: row.scope?.split(' ') ?? [],
    license_id: row.license_id ?? undefined,
    app_id: row.app_id ?? undefined,
    addon_enabled: row.addon_enabled ?? false,
    license:
      status && product_id && product_name !== null
        ? { status, period_end, product_id, product_name }
        : undefined,
    free:
      free_id && free_name !== null ? { product_id: free_id, product_name: free_name } : undefined,
  }
}
