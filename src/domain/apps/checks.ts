import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/** What is checked of an app's integration, in the order in which it is shown. */
export const INTEGRATION_CHECKS = [
  'login_url',
  'sign_in',
  'redirect_uris',
  'return_urls',
  'sign_out',
  'secret',
  'validation',
  'order',
  'clock',
] as const
export type IntegrationCheck = (typeof INTEGRATION_CHECKS)[number]

/** The result of a check. `skipped`: it does not apply, or there is nothing to check. */
export interface Finding {
  check: IntegrationCheck
  outcome: 'passed' | 'warning' | 'error' | 'skipped'
  /** What was found, in a sentence. */
  text: string
  /** What to change; empty if nothing is wrong. */
  remedy: string
}

/** One run of all checks of an app. */
export interface CheckRun {
  checked_at: Date
  findings: Finding[]
}

/** The last run of an app's checks; undefined if they never ran. */
export async function lastChecks(db: Db, app_id: AppId): Promise<CheckRun | undefined> {
  return await db.maybe<CheckRun>(
    sql`select checked_at, findings from integration_checks where app_id = ${app_id}`,
  )
}

/** Stores a run of an app's checks, replacing the previous one. */
export async function recordChecks(
  db: Db,
  now: Date,
  { app_id, findings }: { app_id: AppId; findings: Finding[] },
): Promise<void> {
  await db.run(sql`insert into integration_checks (app_id, checked_at, findings)
    values (${app_id}, ${now}, ${JSON.stringify(findings)})
    on conflict (app_id) do update set checked_at = excluded.checked_at,
      findings = excluded.findings`)
}

/** Since when an app's client secret is in use: when the latest was created, or the app. */
export async function secretSince(db: Db, app_id: AppId): Promise<Date> {
  const { since } = await db.one<{ since: Date }>(sql`select coalesce(
      (select max(at) from app_changes
        where app_id = ${app_id}
          and action in ('integration.secret_created', 'integration.secret_rotated')),
      c.created_at) as since
    from clients c where c.app_id = ${app_id}`)
  return since
}
