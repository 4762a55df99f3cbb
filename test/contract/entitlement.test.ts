import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import { LICENSE_STATUSES, type LicenseStatus, entitlementOf as ruleOf } from '#domain/licensing'
import { type AppId, mintId, type ProductId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { Entitlement } from '../../src/surfaces/entitlement/wire.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { testId } from '../support/ids.ts'
import { forceStatus } from '../support/licenses.ts'
import { purchase } from '../support/purchase.ts'
import {
  addApp,
  addPerson,
  browser,
  entitlementOf,
  openSignInTest,
  type SignInTest,
  signInToApp,
} from '../support/sign-in.ts'

let setup: SignInTest
/** A buyer of the monthly plan, and the access token that the app received. */
let buyer: Agent
let token: string
let plans: { Free: ProductId; Pro: ProductId; Lifetime: ProductId }

before(async () => {
  setup = await openSignInTest()
  buyer = browser(setup)
  await purchase(setup, buyer, { email: 'buyer@example.org' })
  token = (await signInToApp(setup, buyer)).access_token
  const { rows } = await setup.world.db.raw('select name, id from products where app_id = $1', [
    setup.demo.app.client_id,
  ])
  plans = Object.fromEntries(
    (rows as { name: string; id: string }[]).map(({ name, id }) => [name, id]),
  ) as typeof plans
})

after(async () => {
  await setup.close()
})

const PATHS = ['/licensing/entitlement/', '/licensing/entitlement', '/api/v1/entitlement/']

const run = (text: string, values: unknown[] = []) => setup.world.db.raw(text, values)

async function ask(access_token: string | undefined, url = PATHS[0]!) {
  const headers = access_token === undefined ? {} : { authorization: `Bearer ${access_token}` }
  // The limit counts by token, so another address does not help.
  return await setup.app.inject({ url, headers })
}

/** A token for a client, as the library would have issued it. */
async function give(
  who: { user_id: UserId; client_id?: AppId },
  facts: { scope?: string; audience?: string } = {},
): Promise<string> {
  const { db, clock, random } = setup.world
  const name = mintSecret(random)
  await grants.saveRecord(
    db,
    clock.now(),
    { kind: 'AccessToken', name },
    {
      payload: {},
      grant: undefined,
      session_uid: undefined,
      client_id: who.client_id ?? setup.demo.app.client_id,
      user_id: who.user_id,
      scope: facts.scope ?? 'openid entitlements',
      audience: facts.audience,
      life: 3600,
    },
  )
  return name
}

async function setStatus(status: LicenseStatus): Promise<void> {
  await forceStatus(setup, status)
}

test('a buyer’s entitlement has exactly the fields of the table, at both addresses', async () => {
  for (const path of PATHS) {
    const answer = await ask(token, path)
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    assert.equal(answer.headers['cache-control'], 'no-store')
    Entitlement.parse(answer.json())
    assert.deepEqual(answer.json(), {
      entitled: true,
      version: 'Pro',
      product_public_id: plans.Pro,
      product_id: plans.Pro,
      status: 'active',
      is_free: false,
      period_end: (await ask(token)).json().period_end,
    })
    assert.match(answer.json().period_end, /^\d{4}-\d{2}-\d{2}$/)
  }
})

test('a buyer whose mailbox is not proven yet is entitled at once', async () => {
  const page = await buyer.open('/account/')
  assert.match(textOf(page.body), /buyer@example\.org/)
  const { rows } = await run(`select email_verified_at from users where email like 'buyer@%'`)
  assert.deepEqual(rows, [{ email_verified_at: null }])
})

/** The entitlement for each license status, with a free plan and without. */
const STATUSES: Record<LicenseStatus, [with_free: string, without: string]> = {
  active: ['active', 'active'],
  trialing: ['trialing', 'trialing'],
  one_time_active: ['one_time_active', 'one_time_active'],
  preview: ['preview', 'preview'],
  past_due: ['free', 'none'],
  unpaid: ['free', 'none'],
  paused: ['free', 'none'],
  canceled: ['free', 'none'],
}

test('there is a rule for every status of a license', () => {
  assert.deepEqual(Object.keys(STATUSES).sort(), [...LICENSE_STATUSES].sort())
  assert.equal(ruleOf({ license: undefined, free: undefined }).status, 'none')
})

for (const [status, [with_free, without]] of Object.entries(STATUSES)) {
  test(`a license that is ${status} answers ${with_free}, and ${without} without a free plan`, async () => {
    await setStatus(status as LicenseStatus)
    try {
      const free = (await ask(token)).json()
      assert.equal(free.status, with_free)
      assert.equal(free.entitled, true)
      assert.equal(free.is_free, with_free === 'free')
      const plan = with_free === 'free' ? plans.Free : plans.Pro
      assert.equal(free.product_public_id, plan)
      assert.equal(free.product_id, plan)
      assert.equal(free.version, with_free === 'free' ? 'Free' : 'Pro')
      if (with_free === 'free') assert.equal(free.period_end, null)

      await run('update products set deleted_at = created_at where is_free')
      const none = (await ask(token)).json()
      assert.equal(none.status, without)
      assert.equal(none.entitled, without !== 'none')
      assert.equal(none.is_free, false)
      if (without === 'none') {
        const { version, product_id, product_public_id, period_end } = none
        assert.deepEqual({ version, product_id, product_public_id, period_end }, NOTHING)
      }
    } finally {
      await run('update products set deleted_at = null where is_free')
      await setStatus('active')
    }
  })
}

const NOTHING = { version: '', product_id: '', product_public_id: '', period_end: null }

test('a one-time purchase and a preview have no end', () => {
  const license = { period_end: null, product_id: testId('prod_x'), product_name: 'X' }
  for (const status of ['one_time_active', 'preview'] as const) {
    const facts = ruleOf({ license: { ...license, status }, free: undefined })
    assert.equal(facts.period_end, null)
    assert.equal(facts.entitled, true)
  }
})

test('of two licenses the live one counts; a preview counts where nothing else does', async () => {
  const { user_id } = await addPerson(setup, 'developer@example.org')
  const own = await give({ user_id })
  const add = async (status: string, product_id: ProductId) =>
    await run(
      `insert into licenses (id, app_id, user_id, product_id, status, key_hash, key_sealed,
        origin, created_at) values ($1, $2, $3, $4, $5, $6, '', 'purchase', $7)`,
      [
        mintId(setup.world.random, 'lic'),
        setup.demo.app.client_id,
        user_id,
        product_id,
        status,
        setup.world.random.bytes(32),
        setup.clock.now(),
      ],
    )
  const status = async () => (await ask(own)).json().status
  assert.equal(await status(), 'free')
  await add('canceled', plans.Pro)
  assert.equal(await status(), 'free')
  await add('preview', plans.Pro)
  assert.equal(await status(), 'preview')
  await add('past_due', plans.Lifetime)
  assert.equal(await status(), 'preview')
  await run(
    `update licenses set status = 'one_time_active' where user_id = $1
    and status = 'past_due'`,
    [user_id],
  )
  assert.equal(await status(), 'one_time_active')
})

test('a plan that is no longer for sale keeps its name for its subscribers', async () => {
  await run('update products set deleted_at = created_at where id = $1', [plans.Pro])
  const { version, status } = (await ask(token)).json()
  await run('update products set deleted_at = null where id = $1', [plans.Pro])
  assert.deepEqual({ version, status }, { version: 'Pro', status: 'active' })
})

test('a missing, an unknown and a malformed token return 401, with an error only if a token was sent', async () => {
  const expected = /^Bearer realm="entitlement"$/
  const none = await ask(undefined)
  assert.equal(none.statusCode, 401)
  assert.equal(none.json().error, 'invalid_token')
  assert.match(String(none.headers['www-authenticate']), expected)
  const basic = await setup.app.inject({
    url: PATHS[0]!,
    headers: { authorization: 'Basic YTpi' },
  })
  assert.equal(basic.statusCode, 401)
  assert.match(String(basic.headers['www-authenticate']), expected)
  for (const strange of ['unknown', 'a'.repeat(1024), 'a'.repeat(2000), 'a,b', 'a b', 'é']) {
    const answer = await ask(strange)
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.json().error, 'invalid_token')
    assert.match(String(answer.headers['www-authenticate']), /^Bearer .*error="invalid_token"/)
  }
  const { refresh_token } = await signInToApp(setup, buyer)
  assert.equal((await ask(refresh_token)).statusCode, 401)
})

test('refuses a token for another audience', async () => {
  const { user_id } = await addPerson(setup, 'agent@example.org')
  const audience = `${setup.world.config.base_url}/mcp`
  const answer = await ask(await give({ user_id }, { audience }))
  assert.equal(answer.statusCode, 401)
  assert.equal(answer.json().error, 'invalid_token')
})

test('names the scope that a token lacks', async () => {
  const { user_id } = await addPerson(setup, 'scopeless@example.org')
  const answer = await ask(await give({ user_id }, { scope: 'openid' }))
  assert.equal(answer.statusCode, 403)
  assert.equal(answer.json().error, 'insufficient_scope')
  assert.equal(answer.json().scope, 'entitlements')
  assert.match(
    String(answer.headers['www-authenticate']),
    /error="insufficient_scope", scope="entitlements"/,
  )
})

test('while the add-on is off people still sign in, and the answer is service_not_enabled', async () => {
  const set = (off: Date | null, on: Date | null) =>
    run('update apps set addon_enabled_at = $1, addon_disabled_at = $2', [on, off])
  const now = setup.clock.now()
  for (const [off, on] of [
    [null, null],
    [now, now],
  ]) {
    await set(off!, on!)
    const { access_token } = await signInToApp(setup, buyer)
    const answer = await ask(access_token)
    assert.equal(answer.statusCode, 403)
    assert.equal(answer.json().error, 'service_not_enabled')
  }
  await set(null, now)
  assert.equal((await ask(token)).statusCode, 200)
})

test('says that a client belongs to no app', async () => {
  const { user_id } = await addPerson(setup, 'unlinked@example.org')
  const { client_id } = await addApp(setup, { redirect_uris: [setup.callback], linked: false })
  const answer = await ask(await give({ user_id, client_id }))
  assert.equal(answer.statusCode, 400)
  assert.equal(answer.json().error, 'Client is not linked to an app')
})

test('a token may be used sixty times a minute, and a new one immediately', async () => {
  const { user_id } = await addPerson(setup, 'busy@example.org')
  const busy = await give({ user_id })
  for (let call = 0; call < 60; call++) {
    const answer = await ask(busy, PATHS[call % PATHS.length])
    assert.equal(answer.statusCode, 200)
  }
  const answer = await ask(busy)
  assert.equal(answer.statusCode, 429)
  assert.equal(answer.json().error, 'rate_limited')
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  assert.equal((await ask(await give({ user_id }))).statusCode, 200)
})

test('an expired token is refused', async () => {
  const { user_id } = await addPerson(setup, 'late@example.org')
  const late = await give({ user_id })
  setup.clock.pass(3600)
  assert.equal((await entitlementOf(setup, late)).statusCode, 401)
})
