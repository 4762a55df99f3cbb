import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applyRetention } from '#flows/retention'
import { addDays, isoDate } from '#platform/calendar'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { eventually } from '../support/eventually.ts'
import { selected } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { basic } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const IMPORT = '/dashboard/apps/tidepool/import/'

let service: TestService
let owner: Agent
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  owner = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const upload = async (agent: Agent, source: string, file: string | Buffer) => {
  await agent.open(IMPORT)
  return await agent.upload('Upload file', Buffer.from(file), { source })
}

const validate = async (key: string) => {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...basic(service) },
    payload: { key },
  })
  return answer.statusCode
}

describe('the pages of an import', () => {
  test('lead from the file to the licenses, without a script', async () => {
    const agent = owner.twin()
    const end = isoDate(addDays(service.clock.now(), 30))
    const file = [
      'id;produit;user_email;status;renews_at;key;notes',
      `1;Pro;first@example.com;active;${end};PAGE-KEY-1;x`,
      `2;Pro;second@example.com;active;not a day;PAGE-KEY-2;x`,
      `3;Old;third@example.com;active;${end};PAGE-KEY-3;x`,
    ].join('\n')
    const columns = await upload(agent, 'lemon_squeezy', file)
    assert.match(textOf(columns.body), /Not imported: produit, notes\./)
    const plans = await agent.runTask('Read file', { ...selected(columns.body), product: '1' })
    assert.match(textOf(plans.body), /1 line not read/)
    assert.match(textOf(plans.body), /Write the date as 2026-11-23/)
    const refused = await agent.submit('Start dry run')
    assert.equal(refused.status, 422)
    assert.match(textOf(refused.body), /Choose a plan for Old\./)
    const pro = /<option value="(prod_\w+)"[^>]*>Pro</.exec(refused.body)![1]!
    const dry = await agent.runTask('Start dry run', { 'plan-0': 'skip', 'plan-1': pro })
    assert.match(textOf(dry.body), /3\. Dry run .* License created/)
    assert.match(textOf(dry.body), /1 line not read The other lines can be imported\./)
    assert.equal(await validate('PAGE-KEY-1'), 404)
    const done = await agent.runTask('Import')
    assert.match(textOf(done.body), /Report/)
    assert.match(textOf(done.body), /1 line not read Correct the file and import it again\./)
    assert.equal(await validate('PAGE-KEY-1'), 200)
    assert.equal(await validate('PAGE-KEY-3'), 404)
    const faults = await agent.open(`${done.url}faults.csv`)
    assert.match(faults.body, /^line,column,value,what_to_do\r\n3,renews_at,not a day,/)
    const report = await agent.open(`${done.url}report.csv`)
    assert.match(report.body, /2,first@example\.com,Pro,\d{4}-\d\d-\d\d,create,/)
    const customers = await agent.open('/dashboard/apps/tidepool/customers/')
    assert.match(textOf(customers.body), /first@example\.com/)
  })

  test('read a file once if the form is sent twice at once', async () => {
    const agent = owner.twin()
    const row = (at: number) => `d${at},Pro,double-${at}@example.com,active,DOUBLE-${at}`
    const rows = Array.from({ length: 300 }, (_, at) => row(at))
    const file = ['id,product_name,user_email,status,key', ...rows].join('\n')
    const columns = await upload(agent, 'lemon_squeezy', file)
    const { db } = service.world
    const id = /imp_\w+/.exec(columns.url)![0]
    const tabs = [agent.tab(), agent.tab(), agent.tab()]
    await Promise.all(tabs.map((tab) => tab.runTask('Read file', selected(columns.body))))
    assert.doesNotMatch(textOf((await agent.open(columns.url)).body), /not read/)
    const { tasks, read } = await db.one<{ tasks: number; read: number }>(sql`select
      (select count(*) from tasks where request ->> 'import_id' = ${id}) as tasks,
      (select count(*) from import_rows where import_id = ${id}) as read`)
    assert.deepEqual([tasks, read], [1, 300])
  })

  test('say that a file was deleted, and start no import of it', async () => {
    const { world } = service
    const agent = owner.twin()
    const file = 'id,product_name,user_email,status,key\nx1,Pro,x1@example.com,active,EXPIRED-1'
    const columns = await upload(agent, 'lemon_squeezy', file)
    const plans = await agent.runTask('Read file', selected(columns.body))
    const pro = /<option value="(prod_\w+)"[^>]*>Pro</.exec(plans.body)![1]!
    const dry = await agent.runTask('Start dry run', { 'plan-0': pro })
    const id = /imp_\w+/.exec(dry.url)![0]
    await world.db.run(sql`update imports
      set created_at = ${addDays(service.clock.now(), -30)} where id = ${id}`)
    await applyRetention(world)
    const refused = await agent.submit('Import')
    assert.match(textOf(refused.body), /Upload the file again/)
    assert.doesNotMatch(textOf(refused.body), /What the import did/)
    const { status } = await world.db.one<{ status: string }>(
      sql`select status from imports where id = ${id}`,
    )
    assert.equal(status, 'checked')
  })

  test('create plans with the names and prices of the file', async () => {
    const agent = owner.twin()
    const file = [
      'Purchase ID,Item Name,Purchase Email,Purchase Date,Item Price ($),Recurrence,License Key',
      `s1,Studio,studio@example.com,${isoDate(service.clock.now())},12.00,monthly,STUDIO-1`,
    ].join('\n')
    const columns = await upload(agent, 'gumroad', file)
    await agent.runTask('Read file', selected(columns.body))
    const dry = await agent.runTask('Start dry run', { 'plan-0': 'create' })
    assert.match(textOf(dry.body), /License created/)
    await agent.runTask('Import')
    assert.equal(await validate('STUDIO-1'), 200)
    const { body } = await agent.open('/dashboard/apps/tidepool/plans/')
    assert.match(body, /Studio/)
    assert.match(body, /12\.00/)
  })

  test('say which columns to check if the file names too many products', async () => {
    const agent = owner.twin()
    const rows = Array.from(
      { length: 400 },
      (_, at) => `m${at},P${at},many-${at}@example.com,active,M-${at}`,
    )
    const file = ['id,product_name,user_email,status,key', ...rows].join('\n')
    const columns = await upload(agent, 'lemon_squeezy', file)
    const plans = await agent.runTask('Read file', selected(columns.body))
    assert.match(textOf(plans.body), /more than 200 products.*Upload the file again/)
    assert.doesNotMatch(plans.body, /name="plan-/)
  })

  test('refuse a missing file, and name the required columns', async () => {
    const agent = owner.twin()
    const picture = await upload(agent, 'gumroad', Buffer.from([0x89, 0x50, 0, 0xff]))
    assert.equal(picture.status, 422)
    assert.match(textOf(picture.body), /not a CSV file in UTF-8/)
    assert.match(textOf((await upload(agent, 'gumroad', '')).body), /Choose a CSV file\./)
    await upload(agent, 'gumroad', 'a,b\n1,2')
    const missing = await agent.submit('Read file')
    assert.equal(missing.status, 422)
    assert.match(textOf(missing.body), /Choose the column for “Buyer email”\. It is required\./)
  })

  test('say how many errors of a file are not listed', async () => {
    const agent = owner.twin()
    const rows = Array.from({ length: 10_003 }, (_, at) => `f${at},Pro,no address,active`)
    const file = ['id,product_name,user_email,status', ...rows].join('\n')
    const columns = await upload(agent, 'lemon_squeezy', file)
    await agent.runTask('Read file', selected(columns.body))
    const { body } = await eventually('the faults', async () => {
      const page = await agent.open(columns.url)
      return /not read/.test(page.body) && page
    })
    assert.match(textOf(body), /10,003 lines not read/)
    assert.match(
      textOf(body),
      /The file has 3 more errors, only counted\. Download the first 10,000/,
    )
    const { body: csv } = await agent.open(`${columns.url}faults.csv`)
    assert.equal(csv.trimEnd().split('\r\n').length, 10_001)
  })

  test('list all imports of an app, 20 to a page', async () => {
    const { client_id: app_id } = await addApp(service, { slug: 'ferry' })
    const { db } = service.world
    const home = IMPORT.replace('tidepool', 'ferry')
    await owner.open(home)
    await owner.upload('Upload file', Buffer.from('Purchase ID\n1'), { source: 'gumroad' })
    await db.run(sql`insert into imports (id, app_id, seller_id, user_id, source, file_name,
        file_bytes, status, columns, matched, created_at)
      select 'imp_' || lpad(n::text, 24, '0'), app_id, seller_id, user_id, source,
        'file ' || n || '.csv', file_bytes, 'done', columns, matched,
        created_at - n * interval '1 hour'
      from imports, generate_series(1, 40) n where app_id = ${app_id}`)
    const first = await owner.open(home)
    assert.match(first.body, /file 19\.csv/)
    assert.doesNotMatch(first.body, /file 20\.csv/)
    const [, next] = /href="([^"]*page=2)"/.exec(first.body)!
    assert.match((await owner.open(next!)).body, /file 20\.csv.*file 39\.csv/s)
    assert.match((await owner.open(`${home}?page=3`)).body, /file 40\.csv/)
  })

  test('delete an import that was not run, after a confirmation', async () => {
    const agent = owner.twin()
    const file = 'id,product_name,user_email,status\ng1,Pro,gone@example.com,active'
    const columns = await upload(agent, 'lemon_squeezy', file)
    const plans = await agent.runTask('Read file', selected(columns.body))
    const asked = await agent.press('Delete import')
    assert.match(
      textOf(asked.body),
      /Delete this import\? picture\.png, with its rows and errors\./,
    )
    assert.equal((await agent.tab().open(plans.url)).status, 200)
    const list = await agent.runTask('Delete import')
    assert.match(textOf(list.body), /Import deleted\./)
    assert.equal((await agent.open(plans.url)).status, 404)
    assert.equal((await agent.open(`${plans.url}report.csv`)).status, 404)
  })

  test('do not delete an import that was run', async () => {
    const agent = owner.twin()
    const { url } = await upload(agent, 'gumroad', 'Purchase ID\n1')
    await agent.open(`${url}delete`)
    const id = /imp_\w+/.exec(url)![0]
    await service.world.db.run(sql`update imports set status = 'done' where id = ${id}`)
    const answer = await agent.submit('Delete import')
    assert.deepEqual([answer.status, answer.url], [200, url])
    assert.doesNotMatch(answer.body, /delete"/)
  })

  test('are found for their own app only', async () => {
    await addApp(service, { slug: 'harbor' })
    const agent = owner.twin()
    const { url } = await upload(agent, 'gumroad', 'Purchase ID\n1')
    assert.equal(agent.page.status, 200)
    const elsewhere = await agent.open(url.replace('tidepool', 'harbor'))
    assert.equal(elsewhere.status, 404)
  })
})
