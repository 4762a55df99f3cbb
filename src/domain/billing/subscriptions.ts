import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type {
  AppId,
  CardId,
  DiscountId,
  LicenseId,
  OrderId,
  PriceId,
  SellerId,
  SubscriptionId,
  UserId,
} from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import type { Cents } from '#platform/money'
import { fieldsOf, rowsOf, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'

/** A subscription: its plan, price and card, and how long it is paid for. */
export interface Subscription {
  id: SubscriptionId
  app_id: AppId
  license_id: LicenseId
  order_id: OrderId
  price_id: PriceId
  card_id: CardId
  /** The agreed price of a period, before tax. */
  amount: Cents
  /** The state that tax is owed to. */
  state: string
  zip: string
  anchor: Date
  anchor_index: number
  period_index: number
  period_end: Date
  auto_renew: boolean
  /** When it is next due; null if nothing is scheduled. */
  next_at: Date | null
  past_due_since: Date | null
  retries: number
  last_decline: string | null
  /** The scheduled plan change at the period's end, and its agreed price. */
  pending_price_id: PriceId | null
  pending_amount: Cents | null
  /** The discount on future periods; null if there is none. */
  discount_id: DiscountId | null
  /** The number of periods that it still applies to; null means all. */
  discount_periods_left: number | null
  pause_at_end: boolean
  ended_at: Date | null
}

/** A subscription with the frequency of its plan. */
export interface RunningSubscription extends Subscription {
  frequency: Frequency
}

const COLUMNS = sql`s.id, s.app_id, s.license_id, s.order_id, s.price_id, s.card_id, s.amount,
  s.state, s.zip, s.anchor, s.anchor_index, s.period_index, s.period_end, s.auto_renew, s.next_at,
  s.past_due_since, s.retries, s.last_decline, s.pending_price_id, s.pending_amount,
  s.discount_id, s.discount_periods_left, s.pause_at_end, s.ended_at,
  (select r.frequency from prices r where r.id = s.price_id) as frequency`

/** The row of `subscriptions s` in a joined statement, as JSON; `subscriptionIn` reads it. */
export const SUBSCRIPTION_AS_JSON = sql`(select to_jsonb(subscription)
  from (select ${COLUMNS}) subscription)`

/** The subscription of `SUBSCRIPTION_AS_JSON`. */
export function subscriptionIn(json: JsonRow<RunningSubscription>): RunningSubscription {
  const dates = { anchor: true, period_end: true, next_at: true } as const
  const others = { past_due_since: true, ended_at: true } as const
  return fromJson<RunningSubscription>(json, { ...dates, ...others })
}

/** The fields of a subscription that its purchase determines. */
export type NewSubscription = Pick<
  Subscription,
  | 'id'
  | 'app_id'
  | 'license_id'
  | 'order_id'
  | 'price_id'
  | 'card_id'
  | 'amount'
  | 'state'
  | 'zip'
  | 'anchor'
  | 'period_index'
  | 'period_end'
  | 'discount_id'
  | 'discount_periods_left'
> & { next_at: Date }

/**
 * Opens a subscription at its first period, or at its trial (period 0, which ends at the anchor).
 */
export async function addSubscription(db: Writes, now: Date, made: NewSubscription): Promise<void> {
  await db.run(sql`insert into subscriptions
    (id, app_id, license_id, order_id, price_id, card_id, amount, state, zip, anchor, period_index,
      period_end, discount_id, discount_periods_left, next_at, created_at)
    values (${made.id}, ${made.app_id}, ${made.license_id}, ${made.order_id}, ${made.price_id},
      ${made.card_id}, ${made.amount}, ${made.state}, ${made.zip}, ${made.anchor},
      ${made.period_index}, ${made.period_end}, ${made.discount_id},
      ${made.discount_periods_left}, ${made.next_at}, ${now})`)
}

/** The subscription of a license; undefined for one that was paid once, or that has ended. */
export async function subscriptionOf(
  db: Db,
  license_id: LicenseId,
): Promise<RunningSubscription | undefined> {
  return await db.maybe<RunningSubscription>(sql`select ${COLUMNS} from subscriptions s
    where s.license_id = ${license_id} and s.ended_at is null`)
}

/** The subscriptions of licenses, by license. */
export async function subscriptionsOf(
  db: Db,
  license_ids: LicenseId[],
): Promise<Map<LicenseId, RunningSubscription>> {
  const found = await db.rows<RunningSubscription>(sql`select ${COLUMNS} from subscriptions s
    where s.license_id = any(${license_ids}) and s.ended_at is null`)
  return new Map(found.map((each) => [each.license_id, each]))
}

/** A subscription, with its row locked until the transaction ends. */
export async function lockSubscription(db: Db, id: SubscriptionId): Promise<RunningSubscription> {
  return await db.one<RunningSubscription>(sql`select ${COLUMNS} from subscriptions s
    where s.id = ${id} for update`)
}

/** Which due subscriptions to claim, how many, and when an unextended claim expires. */
export interface Claim {
  until: Date
  limit: number
  app_id?: AppId
}

/**
 * Claims subscriptions that are due, longest due first; concurrent workers get different ones.
 * `now` is the service's time, to which an app's test clock is added. A claim that is neither
 * released nor extended expires.
 */
export async function claimDue(db: Db, now: Date, claim: Claim): Promise<SubscriptionId[]> {
  const { until, limit, app_id } = claim
  const isFree = sql`(s.claimed_until is null or s.claimed_until <= ${now})`
  const ofApp = app_id === undefined ? sql`` : sql`and s.app_id = ${app_id}`
  // No test clock is behind the service's clock: what is due by the service's time is due
  // everywhere, and the first part starts at the earliest entry of the index. Only apps that are
  // ahead are read one by one.
  const rows = await db.rows<{ id: SubscriptionId; next_at: Date }>(sql`
    with due_now as (
      select s.id from subscriptions s where s.next_at <= ${now} and ${isFree} ${ofApp}
      order by s.next_at, s.id limit ${limit} for update skip locked),
    due_ahead as (
      select s.id from apps a join subscriptions s on s.app_id = a.id
      where a.clock_ahead > 0 and ${isFree} ${ofApp} and s.next_at > ${now}
        and s.next_at <= ${now}::timestamptz + a.clock_ahead * interval '1 second'
      order by s.next_at, s.id limit ${limit}::bigint - (select count(*) from due_now)
      for update of s skip locked)
    update subscriptions set claimed_until = ${until}
    where id in (select id from due_now union all select id from due_ahead)
    returning id, next_at`)
  const inOrder = rows.sort(
    (a, b) => a.next_at.getTime() - b.next_at.getTime() || a.id.localeCompare(b.id),
  )
  return inOrder.map(({ id }) => id)
}

/**
 * Extends claims that last until `claimed` to `until`, or releases them if that is null, so that
 * any worker may claim them at once. Returns those that were still claimed.
 */
export async function extendClaims(
  db: Db,
  ids: SubscriptionId[],
  { claimed, until }: { claimed: Date; until: Date | null },
): Promise<Set<SubscriptionId>> {
  const rows = await db.rows<{ id: SubscriptionId }>(sql`
    update subscriptions set claimed_until = ${until}
    where id = any(${ids}) and claimed_until = ${claimed} returning id`)
  return new Set(rows.map(({ id }) => id))
}

/** Releases a claimed subscription unchanged. */
export async function release(db: Writes, id: SubscriptionId): Promise<void> {
  await db.run(sql`update subscriptions set claimed_until = null where id = ${id}`)
}

const CHANGED_TYPES = {
  price_id: 'text',
  card_id: 'text',
  amount: 'bigint',
  state: 'text',
  zip: 'text',
  anchor: 'timestamptz',
  anchor_index: 'int',
  period_index: 'int',
  period_end: 'timestamptz',
  auto_renew: 'boolean',
  next_at: 'timestamptz',
  past_due_since: 'timestamptz',
  retries: 'int',
  last_decline: 'text',
  pending_price_id: 'text',
  pending_amount: 'bigint',
  discount_id: 'text',
  discount_periods_left: 'int',
  pause_at_end: 'boolean',
  ended_at: 'timestamptz',
} as const

/** Changes of a subscription; an absent field stays as it is. */
export type SubscriptionChange = Partial<Pick<Subscription, keyof typeof CHANGED_TYPES>>

/** Cancels a scheduled plan change. */
export const NO_PLAN_CHANGE = { pending_price_id: null, pending_amount: null } as const

/** Changes a subscription whose row is locked, and releases its claim. */
export async function changeSubscription(
  db: Writes,
  subscription: Subscription,
  change: SubscriptionChange,
): Promise<void> {
  const row = { ...subscription, ...change }
  await db.run(sql`update subscriptions set ${fieldsOf(CHANGED_TYPES)}, claimed_until = null
    from ${rowsOf([row], { id: 'text', ...CHANGED_TYPES })} where subscriptions.id = row.id`)
}

/** When an app's next subscription is due; undefined if none ever is. */
export async function nextDueAt(db: Db, app_id: AppId): Promise<Date | undefined> {
  const { at } = await db.one<{ at: Date | null }>(sql`select min(next_at) as at
    from subscriptions where app_id = ${app_id}`)
  return at ?? undefined
}

/** The apps whose subscriptions still charge a person: they renew, or an amount is due. */
export async function chargingApps(
  db: Db,
  user_id: UserId,
): Promise<{ app_id: AppId; name: string }[]> {
  return await db.rows<{ app_id: AppId; name: string }>(sql`
    select distinct a.id as app_id, a.name from subscriptions s
      join licenses l on l.id = s.license_id join apps a on a.id = l.app_id
    where l.user_id = ${user_id} and s.ended_at is null and l.status <> 'canceled'
      and (s.auto_renew or l.status in ('past_due', 'unpaid')) order by a.name, a.id`)
}

/**
 * Whether a subscription to a seller's apps runs. One that does not renew counts: until it ends,
 * its buyer can turn auto-renew on, or change to a plan that is charged.
 */
export async function isAnyRunning(db: Db, seller_id: SellerId): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (
    select 1 from apps a join subscriptions s on s.app_id = a.id
    where a.seller_id = ${seller_id} and s.ended_at is null) as found`)
  return found
}
