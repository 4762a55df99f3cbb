import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { decideAboutApp } from '#flows/staff-actions'
import { type AuditFilter, listAudit } from '#platform/audit-log'
import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'
import { codeOf, newEmail } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { staffActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { invite } from '../support/team.ts'

const HOME = '/admin/audit/'
const MANY = 20_000

let service: TestService
let admin: Agent
before(async () => {
  service = await openTestService()
  const { db } = service.world
  // Three entries a minute: of two hundred apps, by two hundred servers.
  await db.run(sql`insert into audit_log (at, actor, action, subject, request_id, detail, channel,
      seller_id)
    select timestamptz '2025-01-01' + (n / 3) * interval '1 minute', 'app_' || n % 200,
      case when n % 1000 = 0 then 'app.pauses_allowed' else 'license.key_rotated' end,
      'lic_' || n % 200, 'req_' || n, '{}', 'api', 'sel_' || n % 200
    from generate_series(1, ${MANY}::int) n`)
  await db.patient.raw('analyze audit_log')
  admin = await signedIn(service, service.demo.operator)
})
after(() => service.close())

/** The subjects on the page, in order. */
function requestsOn(agent: Agent): string[] {
  return [...agent.page.body.matchAll(/subject=([\w.]+)"/g)].map(([, subject]) => subject!)
}

test('a search finds entries by actor, action, subject and date', async () => {
  const count = async (query: string) => {
    await admin.open(`${HOME}?${query}`)
    return requestsOn(admin).length
  }
  assert.equal(await count('action=app.pauses_allowed'), MANY / 1000)
  assert.equal(await count('actor=app_7&from=2025-01-01&to=2025-01-01'), 22)
  assert.equal(await count('subject=lic_7&action=app.pauses_allowed'), 0)
  assert.equal(await count('from=2030-01-01'), 0)
  assert.match(admin.text, /No entries/)
  // An email means its account, as actor and as subject.
  const email = encodeURIComponent(service.demo.operator.email)
  assert.ok((await count(`actor=${email}`)) > 0)
  assert.match(admin.text, /account\.signed_in .*By otis@purser\.example/)
  assert.ok((await count(`subject=${email}&action=account.signed_in`)) > 0)
  assert.equal(await count('actor=unknown@example.com'), 0)
})

test('pages follow each other to the end, without a gap or a repeated entry', async () => {
  const seen: string[] = []
  await admin.open(`${HOME}?subject=lic_7`)
  for (;;) {
    const ids = [...admin.text.matchAll(/(\w+ \d+, \d{4} at [\d:]+ [AP]M)/g)]
    seen.push(...ids.map(([, at]) => at!))
    if (!/>\s*Older/.test(admin.page.body)) break
    await admin.press('Older')
  }
  assert.equal(seen.length, MANY / 200)
  assert.equal(new Set(seen).size, MANY / 200)
})

test('an export needs a recent proof, and is in the log itself', async () => {
  const { password, totp_secret } = service.demo.operator
  service.clock.pass(2 * 3600)
  await admin.open(`${HOME}?actor=app_7`)
  await admin.runTask('Export CSV')
  assert.match(admin.text, /Confirm/)
  await admin.submit('Confirm', { password, code: codeOf(service, totp_secret) })
  assert.equal(admin.page.url, `${HOME}?actor=app_7`)
  await admin.submit('Export CSV')
  const found = await service.world.db.rows<{ detail: { actor: string } }>(
    sql`select detail from audit_log where action = 'audit_log.exported'`,
  )
  assert.deepEqual(
    found.map(({ detail }) => detail.actor),
    ['app_7'],
  )
})

test('the export has every entry of the search, and no other', async () => {
  await service.listen()
  await admin.open(`${HOME}?actor=app_7`)
  await admin.runTask('Export CSV')
  assert.match(admin.page.url, /\/tasks\/.*ready/)
  const { body } = await admin.open(admin.page.url.replace('ready/', 'file'))
  const rows = parse(body, { columns: true, bom: true }) as Record<string, string>[]
  assert.equal(rows.length, MANY / 200)
  assert.deepEqual([...new Set(rows.map(({ actor }) => actor))], ['app_7'])
})

interface Plan {
  'Node Type': string
  Plans?: Plan[]
}

function nodesOf(plan: Plan): string[] {
  return [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)]
}

test('no search reads the whole log or sorts it', async () => {
  const { db } = service.world
  const filters: AuditFilter[] = [
    {},
    { actor: 'app_7' },
    { actor: 'app_unknown' },
    { action: 'app.pauses_allowed' },
    { seller_id: 'sel_7' },
    { seller_id: 'sel_7', action: 'license.key_rotated' },
    { action: 'license.key_rotated', since: new Date('2025-01-02') },
    { since: new Date('2025-01-02'), until: new Date('2025-01-03') },
  ]
  const explaining = {
    async rows({ text, values }: Sql) {
      const { rows } = await db.raw(`explain (format json) ${text}`, values)
      const [{ 'QUERY PLAN': answer }] = rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }]
      const [{ Plan }] = typeof answer === 'string' ? JSON.parse(answer) : answer
      return nodesOf(Plan)
    },
  } as unknown as Db
  for (const filter of filters) {
    const nodes = (await listAudit(explaining, { ...filter, limit: 51 })) as unknown as string[]
    assert.deepEqual(
      nodes.filter((node) => /Seq Scan|Sort|Bitmap/.test(node)),
      [],
      JSON.stringify(filter),
    )
  }
})

test('the link on a seller’s page lists what happened to its apps and members', async () => {
  const { client_id, slug } = service.demo.app
  const seller = await signedIn(service, service.demo.seller)
  await seller.open(`/dashboard/apps/${slug}/settings/`)
  await seller.submit('Unpublish')
  await invite(seller, newEmail(), 'support')
  const staff = { ...(await staffActor(service)), reason: 'a reason' }
  await decideAboutApp(service.world, staff, { app_id: client_id, what: 'suspended' })
  await admin.open('/admin/sellers/')
  await admin.press('Tidepool Works LLC')
  await admin.press('Audit log')
  const actions = [...admin.page.body.matchAll(/action=([\w.]+)"/g)].map(([, action]) => action)
  assert.deepEqual(actions.slice(0, 3), [
    'app.suspended',
    'seller.member_invited',
    'app.unpublished',
  ])
  await admin.open(`${HOME}?seller=sel_unknown`)
  assert.match(admin.text, /No entries/)
})
