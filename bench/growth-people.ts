import { id } from './growth-ids.ts'

/** How much is written. */
export interface Size {
  /** The number of licenses; those that were not bought were given by sellers. */
  licenses: number
  /** The number of sales in all, each with an invoice, and of one app. */
  sales: number
  big_app: number
  /** The number of apps beside the large one. */
  apps: number
}

/** The number of these that belong to the seller of the large app. */
export const APPS_OF_SELLER = 50
/** The number of affiliates beside the cast's; they and the cast's each refer every 20th sale. */
export const AFFILIATES = 300

/** Members and clicks are written for about as many apps, however many there are. */
const CLICKED_APPS = 1000

const SELLER = `(select seller_id from apps where slug = 'big')`

/** Sellers with their members, affiliates with their clicks, and what lists of staff show. */
export function peopleOf({ sales, apps }: Size): string[] {
  const entries = Math.round(sales / 5)
  return [
    `insert into sellers (id, legal_name, address, city, state, zip, created_at)
      select ${id('sel')}, initcap(md5(n::text)) || ' LLC', '1 Main Street', 'Austin', 'TX',
        '78701', now() - n * interval '1 hour'
      from generate_series(${APPS_OF_SELLER / 2}, ${Math.floor((apps - 1) / 2)}) n`,
    `insert into seller_members (seller_id, user_id, role, created_at)
      select id, 'usr_' || substr(id, 5), 'owner', created_at from sellers
      where id like 'sel_00000%'`,
    `insert into seller_members (seller_id, user_id, role, created_at)
      select ${SELLER}, ${id('usr')}, 'support', now() from generate_series(1, 20) n`,
    `insert into affiliates (id, user_id, code, created_at)
      select ${id('aff')}, ${id('usr', 'n + 1000')}, 'growth-' || n, now()
      from generate_series(0, ${AFFILIATES - 1}) n`,
    `insert into affiliate_clicks (affiliate_id, app_id, day, count)
      select f.id, a.id, current_date - day, 3
      from affiliates f, apps a, generate_series(0, 729) day
      where (day = 1 and abs(hashtext(a.id)) % ${Math.ceil(apps / CLICKED_APPS)} = 0)
        or (a.slug = 'big' and day % 5 = 0)
        or (f.id not like 'aff_00000%' and day < 20)`,
    `insert into audit_log (at, actor, action, subject, detail, channel, seller_id)
      select now() - n * interval '1 minute', 'seller:' || ${id('usr')}, 'app.updated',
        ${id('usr')}, '{}', 'page', case when n % 10 = 0 then ${SELLER} end
      from generate_series(1, ${entries}) n`,
    `insert into alarms (id, kind, subject, message, raised_at, last_at)
      select ${id('alm')}, 'processor_refused', ${id('po')}, 'The payout was refused.', now(), now()
      from generate_series(1, 30) n`,
    `insert into discount_codes (id, app_id, code, percent, is_once_per_buyer,
        is_first_purchase, product_ids, created_at)
      select ${id('disc')}, a.id, 'GROWTH-' || n, 10, false, false, '{}', now()
      from apps a, generate_series(1, 100) n where a.slug = 'big'`,
    `insert into app_changes (id, app_id, at, user_id, request_id, action, before, after)
      select ${id('chg')}, a.id, now(), m.user_id, 'growth', 'listing.updated',
        '{"tagline": "Before"}', '{"tagline": "After"}'
      from apps a join seller_members m on m.seller_id = a.seller_id and m.role = 'owner',
        generate_series(1, 500) n where a.slug = 'big'`,
    `insert into clients (client_id, app_id, secret_hash, created_at)
      select a.id, a.id, sha256(a.id::bytea), now() from apps a on conflict do nothing`,
    `insert into listing_app_names (app_id, kind, key, position)
      select a.id, n.kind, n.key, 0 from apps a join listing_names n
        on abs(hashtext(a.id || n.key)) % 3 = 0 on conflict do nothing`,
    `insert into approval_requests (id, app_id, requested_by, requested_at)
      select 'apr_' || substr(a.id, 5), a.id, m.user_id, a.created_at
      from apps a join seller_members m on m.seller_id = a.seller_id and m.role = 'owner'
      where a.id like 'app_00000%7' on conflict do nothing`,
  ]
}
