import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { auditChange, type Owner } from './audit.ts'

/** Everything that the service stores about a person, by subject; times are in UTC. */
export type PersonalData = Record<string, Record<string, unknown>[]>

/** A record as the export has it. */
interface Item {
  item: Record<string, unknown> | null
}

type DataOwner = { user_id: UserId; email_normalized: string }

/**
 * Reads everything about one person, and about no one else. Passwords, keys and codes are not part
 * of it: they are stored so that they cannot be read.
 */
export async function personalData(db: Db, person: DataOwner): Promise<PersonalData> {
  const parts = [ofAccount, ofInvitations, ofPurchases, ofPayments, ofUse, ofEarnings]
  const data: PersonalData = {}
  for (const part of parts) {
    for (const [name, rows] of Object.entries(await part(db, person))) {
      data[name] = rows.map(({ item }) => item ?? {})
    }
  }
  return data
}

type DataSection = Promise<Record<string, Item[]>>

async function ofAccount(db: Db, { user_id }: DataOwner): DataSection {
  return {
    account: await db.rows<Item>(sql`select jsonb_build_object('id', id, 'email', email,
        'email_verified_at', email_verified_at, 'has_password', password_hash is not null,
        'created_at', created_at, 'created_via', created_via,
        'language', language) as item
      from users where id = ${user_id}`),
    sessions: await db.rows<Item>(sql`select jsonb_build_object('browser', browser,
        'network', network, 'created_at', created_at, 'last_seen_at', last_seen_at,
        'expires_at', expires_at) as item
      from sessions where user_id = ${user_id} order by created_at`),
    passkeys: await db.rows<Item>(sql`select jsonb_build_object('name', name,
        'created_at', created_at, 'last_used_at', last_used_at) as item
      from passkeys where user_id = ${user_id} order by created_at`),
    authenticator_apps: await db.rows<Item>(sql`select jsonb_build_object(
        'created_at', created_at, 'confirmed_at', confirmed_at) as item
      from authenticator_apps where user_id = ${user_id}`),
    recovery_codes: await db.rows<Item>(sql`select jsonb_build_object(
        'created_at', created_at, 'used_at', used_at) as item
      from recovery_codes where user_id = ${user_id} order by created_at`),
    email_changes: await db.rows<Item>(sql`select jsonb_build_object('old_email', old_email,
        'new_email', new_email, 'created_at', created_at, 'done_at', done_at,
        'ended_at', ended_at) as item
      from email_changes where user_id = ${user_id} order by created_at`),
    connected_apps: await db.rows<Item>(sql`select jsonb_build_object('client_id', client_id,
        'scopes', scopes, 'granted_at', granted_at, 'withdrawn_at', withdrawn_at) as item
      from consents where user_id = ${user_id} order by granted_at`),
    // A buyer signs in to an app without being asked for consent.
    sign_ins_to_apps: await db.rows<Item>(sql`select jsonb_build_object(
        'client_id', r.client_id, 'signed_in_at', r.created_at, 'expires_at', r.expires_at) as item
      from oidc_records r
      where r.user_id = ${user_id} and r.kind = 'Grant'
        and not exists (select 1 from agent_grants g where g.grant_id = r.id)
      order by r.created_at`),
    agents: await db.rows<Item>(sql`select jsonb_build_object('callback', callback,
        'scopes', scopes, 'browser', browser, 'granted_at', granted_at) as item
      from agent_grants where user_id = ${user_id} order by granted_at`),
  }
}

/** What other people sent to the address: invitations, and apps that they offer. */
async function ofInvitations(db: Db, { email_normalized }: DataOwner): DataSection {
  return {
    team_invitations: await db.rows<Item>(sql`select jsonb_build_object('seller', s.legal_name,
        'role', i.role, 'created_at', i.created_at, 'expires_at', i.expires_at) as item
      from member_invitations i join sellers s on s.id = i.seller_id
      where i.email_normalized = ${email_normalized} order by i.created_at`),
    staff_invitations: await db.rows<Item>(sql`select jsonb_build_object('role', role,
        'created_at', created_at, 'expires_at', expires_at) as item
      from staff_invitations where email_normalized = ${email_normalized}`),
    offered_apps: await db.rows<Item>(sql`select jsonb_build_object('app', a.name,
        'seller', s.legal_name, 'reason', t.reason, 'created_at', t.requested_at,
        'expires_at', t.expires_at) as item
      from app_transfers t join apps a on a.id = t.app_id join sellers s on s.id = t.from_seller
      where t.email_normalized = ${email_normalized} order by t.requested_at`),
  }
}

async function ofPurchases(db: Db, { user_id, email_normalized }: DataOwner): DataSection {
  return {
    licenses: await db.rows<Item>(sql`select jsonb_build_object('id', l.id, 'app', a.name,
        'plan', p.name, 'origin', l.origin, 'status', l.status, 'period_end', l.period_end,
        'canceled_at', l.canceled_at, 'created_at', l.created_at) as item
      from licenses l join apps a on a.id = l.app_id join products p on p.id = l.product_id
      where l.user_id = ${user_id} order by l.created_at`),
    subscriptions: await db.rows<Item>(sql`select jsonb_build_object('id', s.id,
        'license_id', s.license_id, 'amount_in_cents', s.amount, 'state', s.state, 'zip', s.zip,
        'auto_renew', s.auto_renew, 'period_end', s.period_end, 'ended_at', s.ended_at,
        'created_at', s.created_at) as item
      from subscriptions s join licenses l on l.id = s.license_id
      where l.user_id = ${user_id} order by s.created_at`),
    invoices: await db.rows<Item>(sql`select jsonb_build_object('id', i.id, 'number', i.number,
        'kind', i.kind, 'app', a.name, 'plan', p.name, 'amount_in_cents', i.amount,
        'tax_in_cents', i.tax, 'state', q.state, 'zip', q.zip, 'status', i.status,
        'license_id', i.license_id, 'created_at', i.created_at, 'paid_at', i.paid_at) as item
      from invoices i join apps a on a.id = i.app_id join products p on p.id = i.product_id
        join tax_quotes q on q.id = i.tax_quote_id
      where i.user_id = ${user_id} order by i.created_at`),
    carts: await db.rows<Item>(sql`select jsonb_build_object('id', c.id, 'app', a.name,
        'email', c.email, 'country', c.country, 'zip', c.zip, 'created_at', c.created_at,
        'completed_at', c.completed_at) as item
      from carts c join apps a on a.id = c.app_id
      where c.user_id = ${user_id}
        or (c.user_id is null and c.email_normalized = ${email_normalized})
      order by c.created_at`),
  }
}

async function ofPayments(db: Db, { user_id, email_normalized }: DataOwner): DataSection {
  return {
    cards: await db.rows<Item>(sql`select jsonb_build_object('brand', brand, 'last4', last4,
        'exp_month', exp_month, 'exp_year', exp_year, 'billing_country', billing_country,
        'billing_zip', billing_zip, 'issuer_country', issuer_country,
        'created_at', created_at) as item
      from cards where user_id = ${user_id} order by created_at`),
    // The address of an attempt may be another account's by now.
    payment_attempts: await db.rows<Item>(sql`select jsonb_build_object('id', t.id,
        'invoice_id', t.invoice_id, 'amount_in_cents', t.amount, 'status', t.status,
        'decline_code', t.decline_code, 'created_at', t.created_at) as item
      from attempts t where t.invoice_id in (
        select id from invoices where user_id = ${user_id}
        union select i.id from carts c join invoices i on i.cart_id = c.id
          where c.user_id = ${user_id} and i.user_id is null
        union select i.id from attempts e join invoices i on i.id = e.invoice_id
          left join carts c on c.id = i.cart_id
          where e.email_normalized = ${email_normalized}
            and i.user_id is null and c.user_id is null)
      order by t.created_at`),
    refunds: await db.rows<Item>(sql`select jsonb_build_object('id', r.id,
        'invoice_id', c.invoice_id, 'amount_in_cents', r.amount, 'status', r.status,
        'created_at', r.created_at) as item
      from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      where i.user_id = ${user_id} order by r.created_at`),
    refunds_made_again: await db.rows<Item>(sql`select jsonb_build_object('id', x.id,
        'invoice_id', c.invoice_id, 'amount_in_cents', x.amount, 'status', x.status,
        'created_at', x.created_at) as item
      from reissued_refunds x join charges c on c.id = x.charge_id
        join invoices i on i.id = c.invoice_id
      where i.user_id = ${user_id} order by x.created_at`),
    refunds_paid_otherwise: await db.rows<Item>(sql`select jsonb_build_object('id', b.id,
        'invoice_id', c.invoice_id, 'amount_in_cents', p.amount, 'created_at', p.created_at) as item
      from buyer_payments b join buyer_payment_parts p on p.payment_id = b.id
        join charges c on c.id = p.charge_id
      where b.user_id = ${user_id} order by p.created_at, c.created_at`),
    excess_repaid: await db.rows<Item>(sql`select jsonb_build_object('id', r.id,
        'invoice_id', c.invoice_id, 'amount_in_cents', p.amount, 'way', r.way,
        'reference', r.reference, 'paid_on', r.paid_on) as item
      from excess_repayments r join excess_parts p on p.settlement_id = r.id
        join charges c on c.id = p.charge_id
      where r.user_id = ${user_id} order by r.paid_on, r.created_at, c.created_at`),
    excess_written_off: await db.rows<Item>(sql`select jsonb_build_object('id', p.settlement_id,
        'invoice_id', c.invoice_id, 'amount_in_cents', p.amount, 'created_at', p.created_at) as item
      from (select id from write_offs where owner = ${user_id}
        union all select id from write_off_reversals where user_id = ${user_id}) s
        join excess_parts p on p.settlement_id = s.id join charges c on c.id = p.charge_id
      order by p.created_at, c.created_at`),
    disputes: await db.rows<Item>(sql`select jsonb_build_object('id', d.id,
        'invoice_id', c.invoice_id, 'amount_in_cents', d.amount, 'reason', d.reason,
        'status', d.status, 'opened_at', d.opened_at, 'closed_at', d.closed_at) as item
      from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      where i.user_id = ${user_id} order by d.opened_at`),
  }
}

async function ofUse(db: Db, { user_id, email_normalized }: DataOwner): DataSection {
  return {
    uses_of_licenses: await db.rows<Item>(sql`select jsonb_build_object(
        'license_id', u.license_id, 'day', u.day, 'kind', u.kind, 'network', u.network,
        'count', u.count) as item
      from license_uses u join licenses l on l.id = u.license_id
      where l.user_id = ${user_id} order by u.day, u.license_id, u.kind, u.network`),
    emails: await db.rows<Item>(sql`select jsonb_build_object('kind', kind,
        'queued_at', queued_at, 'sent_at', sent_at) as item
      from emails where subject_id in (select id from licenses where user_id = ${user_id}
        union all select id from invoices where user_id = ${user_id}
        union all select r.id from refunds r join charges c on c.id = r.charge_id
          join invoices i on i.id = c.invoice_id where i.user_id = ${user_id}
        union all select id from excess_repayments where user_id = ${user_id}
        union all select id from buyer_payments where user_id = ${user_id}
        union all select id from write_offs where owner = ${user_id}
        union all select unnest(array[${user_id}, ${email_normalized}]::text[]))
      order by queued_at`),
    audit_log: await db.rows<Item>(sql`select jsonb_build_object('at', at, 'action', action,
        'address', address, 'agent', agent) as item
      from audit_log where actor = ${user_id} or (subject = ${user_id} and actor = 'anonymous')
      order by id`),
  }
}

async function ofEarnings(db: Db, { user_id }: DataOwner): DataSection {
  return {
    affiliates: await db.rows<Item>(sql`select jsonb_build_object('id', id, 'code', code,
        'created_at', created_at) as item from affiliates where user_id = ${user_id}`),
    sellers: await db.rows<Item>(sql`select jsonb_build_object('seller', s.legal_name,
        'role', m.role, 'created_at', m.created_at) as item
      from seller_members m join sellers s on s.id = m.seller_id
      where m.user_id = ${user_id} order by m.created_at`),
    payouts: await db.rows<Item>(sql`select jsonb_build_object('id', p.id,
        'amount_in_cents', p.amount, 'status', p.status, 'created_at', p.created_at,
        'settled_at', p.settled_at) as item
      from payouts p join affiliates f on f.id = p.owner
      where f.user_id = ${user_id} order by p.created_at`),
  }
}

/** Records in the audit log that the owner exported their data. */
export async function recordExport({ db, clock }: World, owner: Owner): Promise<void> {
  await db.tx((tx) => auditChange(tx, clock.now(), owner, 'data_exported'))
}
