import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { RETRY_DAYS } from '#domain/billing'
import { ConfigError } from '#platform/config'
import { readDocument } from '#platform/documents'
import { signUp } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { buyer, goToConfirm, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const OPERATOR = {
  OPERATOR_NAME: 'Harbor & Sons Software, Inc.',
  OPERATOR_ADDRESS: '1 Main Street; Wilmington, DE 19801',
  OPERATOR_TAX_ID: '12-3456789',
  SUPPORT_EMAIL: 'help@harbor.example',
  STATEMENT_DESCRIPTOR: 'HARBOR SOFTWARE',
  GOVERNING_LAW: 'Oregon',
}

let service: TestService
let folder: string
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'purser-legal-'))
  service = await openTestService({ settings: { ...OPERATOR, LEGAL_DIR: folder } })
  await service.world.jobs.start()
})
after(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

async function read(url: string): Promise<string> {
  const answer = await service.app.inject({ url, headers: { accept: 'text/html' } })
  assert.equal(answer.statusCode, 200, url)
  return textOf(answer.body)
}

// F26
for (const path of ['/terms/', '/seller-terms/', '/privacy/', '/refunds/', '/help/']) {
  test(`${path} names the operator and how to reach it, with no placeholder left`, async () => {
    const text = await read(path)
    assert.match(text, /Harbor & Sons Software, Inc\./)
    assert.match(text, /help@harbor\.example/)
    assert.match(text, /Version \d+\.\d+, [A-Z][a-z]+ \d+, \d{4}/)
    assert.doesNotMatch(text, /[{}]/)
  })
}

test('the terms name the governing law and the dunning calendar, the contact page the address and the tax id', async () => {
  assert.match(await read('/terms/'), /laws of the State of Oregon/)
  assert.match(await read('/terms/'), /HARBOR SOFTWARE/)
  assert.match(await read('/terms/'), new RegExp(`for up to ${RETRY_DAYS.at(-1)} days`))
  assert.match(await read('/help/'), /1 Main Street Wilmington, DE 19801 .*Tax ID: 12-3456789/)
})

test('the contact page names the support page where that is another page', async () => {
  assert.doesNotMatch(await read('/help/'), /Support:/)
  const SUPPORT_URL = 'https://support.harbor.example/'
  const other = await openTestService({ settings: { ...OPERATOR, SUPPORT_URL } })
  try {
    const { body } = await other.app.inject({ url: '/help/', headers: { accept: 'text/html' } })
    assert.match(textOf(body), /Support: https:\/\/support\.harbor\.example\/ Tax ID: 12-3456789/)
  } finally {
    await other.close()
  }
})

// F26
test('the footers of the site and of a checkout name the operator as merchant of record', async () => {
  const name = 'Harbor & Sons Software, Inc.'
  assert.ok((await read('/')).includes(`${name} is the merchant of record for every sale`))
  const checkout = await read(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  assert.ok(checkout.includes(`${name} is the merchant of record`))
})

test('the privacy policy lists every cookie that buying and signing in sets', async () => {
  const page = await read('/privacy/')
  const shopper = buyer(service)
  await purchase(service, shopper, { email: 'cookies@example.com' })
  const { agent } = await signUp(service)
  const names = [...shopper.cookies.keys(), ...agent.cookies.keys()]
  assert.ok(names.length > 3)
  for (const name of names) assert.match(page, new RegExp(name), `${name} is listed`)
})

test('the confirmation step shows what the card statement will say, and links the terms', async () => {
  const shopper = buyer(service)
  const { body } = await goToConfirm(service, shopper, { email: 'statement@example.com' })
  assert.match(textOf(body), /On your statement HARBOR SOF\* TIDEPOOL/)
  for (const path of ['/terms/', '/refunds/', '/privacy/', '/help/']) {
    assert.ok(body.includes(`href="${path}"`), path)
  }
})

const HEAD = '---\ntitle: Our terms\nversion: 3\ndate: 2027-01-31\n---\n'
test("an operator's own text takes the place of a default, cleaned, and the others stay", async () => {
  const text = `${HEAD}<p>Written by {legal_name}.<script>alert(1)</script></p>`
  writeFileSync(join(folder, 'terms.html'), text)
  const own = await openTestService({ settings: { ...OPERATOR, LEGAL_DIR: folder } })
  const get = async (url: string) => (await own.app.inject({ url })).body
  const body = await get('/terms/')
  assert.match(textOf(body), /Our terms Version 3, January 31, 2027 Written by Harbor & Sons/)
  assert.doesNotMatch(body, /alert\(1\)/)
  assert.match(textOf(await get('/refunds/')), /How to ask for a refund/)
  await own.close()
})

test('a text without a version, or with an unknown placeholder, is refused and named', () => {
  const refusal = (text: string) => {
    writeFileSync(join(folder, 'terms.html'), text)
    return () => readDocument([folder], 'terms', { legal_name: 'Harbor' })
  }
  const named = (pattern: RegExp) => (error: Error) =>
    error instanceof ConfigError && pattern.test(error.message)
  assert.throws(refusal('<p>Terms</p>'), named(/terms\.html must begin with/))
  assert.throws(refusal(`${HEAD}{company}`), named(/terms\.html: \{company\} is unknown/))
})

test('the privacy policy and docs/retention.md agree on how long records are kept', async () => {
  const retention = readFileSync(new URL('../../docs/retention.md', import.meta.url), 'utf8')
  const kept = (what: RegExp) => retention.split('\n').find((line) => what.test(line)) ?? ''
  const page = await read('/privacy/')
  for (const [row, term, pattern] of [
    [/^\| sales, invoices/, /for good/, /tax returns for good, as part of the books/],
    [/^\| counted uses/, /550 days/, /networks it was used from evidence in disputes 550 days/],
    [/^\| emails, sent or not/, /550 days/, /without the text evidence in disputes 550 days/],
    [/^\| alarms/, /365 days/, /correcting the failure 1 year/],
  ] as const) {
    assert.match(kept(row), term)
    assert.match(page, pattern)
  }
  assert.doesNotMatch(page, /7 years after/)
})
