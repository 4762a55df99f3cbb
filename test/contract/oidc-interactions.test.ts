import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as catalog from '#domain/catalog'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { disconnectApp } from '#flows/account'
import { givePlan } from '#flows/subscription'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { purchase } from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import {
  addApp,
  addPerson,
  browser,
  discover,
  entitlementOf,
  exchange,
  openSignInTest,
  parametersOf,
  returnPathOf,
  type SignInTest,
  signInAs,
  signInHere,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest

before(async () => {
  setup = await openSignInTest()
})

after(async () => {
  await setup.close()
})

const person = (name: string) => addPerson(setup, `${name}@example.org`)

test('a person signs in with a password, reads what the app learns, and agrees', async () => {
  const agent = browser(setup)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const page = await agent.open(attempt.url.href)
  assert.match(page.url, /^\/signin\/\?return_to=%2Fo%2Fcontinue%3Frequest%3D/)
  const requested = await signInHere(agent, setup.demo.buyer)
  const pageText = textOf(requested.body)
  assert.match(pageText, /Sign in to Tidepool/)
  assert.match(pageText, /private ID for this app only/)
  assert.match(pageText, /Your plan and whether it is active/)
  assert.match(pageText, /does not receive your name or email/)
  assert.match(pageText, new RegExp(setup.demo.buyer.email))
  assert.match(pageText, new RegExp(new URL(setup.callback).host))
  const policy = String(requested.headers['content-security-policy'])
  assert.match(policy, /form-action 'self';/)
  const { url } = await agent.submit('Allow')
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

test('returns access_denied and no code when the person cancels, and asks again the next time', async () => {
  const agent = await signInAs(setup, await person('cancels'))
  for (let round = 0; round < 2; round++) {
    const attempt = await startSignIn(setup.app_side, setup.callback)
    await agent.open(attempt.url.href)
    const { url } = await agent.submit('Cancel')
    const { error, state, iss, code } = parametersOf(url)
    assert.ok(url.startsWith(`${setup.callback}?`))
    assert.equal(error, 'access_denied')
    assert.equal(state, attempt.state)
    assert.equal(iss, setup.app_side.serverMetadata().issuer)
    assert.equal(code, undefined)
  }
})

test('F34: the sign-in page names the app, and leads back to it with access_denied', async () => {
  const agent = browser(setup)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const page = await agent.open(attempt.url.href)
  assert.match(textOf(page.body), /Tidepool .*Sign in To continue to Tidepool/)
  const { url } = await agent.press('Cancel and return to Tidepool')
  assert.ok(url.startsWith(`${setup.callback}?`))
  const { error, state, iss, code } = parametersOf(url)
  assert.deepEqual([error, code], ['access_denied', undefined])
  assert.equal(state, attempt.state)
  assert.equal(iss, setup.app_side.serverMetadata().issuer)
})

test('F34: the sign-up page names the app, and leads back to it with access_denied', async () => {
  const agent = browser(setup)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  await agent.open(attempt.url.href)
  const page = await agent.press('Create an account')
  assert.match(textOf(page.body), /Tidepool .*Create an account To continue to Tidepool/)
  const { url } = await agent.press('Cancel and return to Tidepool')
  assert.ok(url.startsWith(`${setup.callback}?`))
  const { error, state } = parametersOf(url)
  assert.deepEqual([error, state], ['access_denied', attempt.state])
})

test('asks for consent once, in whichever browser, and again only for a new scope', async () => {
  const agrees = await person('agrees')
  const agent = await signInAs(setup, agrees)
  const ask = async (who = agent, scope = 'openid') => {
    const attempt = await startSignIn(setup.app_side, setup.callback, { scope })
    return await who.open(attempt.url.href)
  }
  const first = await ask()
  assert.match(textOf(first.body), /private ID/)
  assert.doesNotMatch(textOf(first.body), /Your plan and whether it is active/)
  await agent.submit('Allow')
  assert.ok(parametersOf((await ask()).url).code)
  const elsewhere = await signInAs(setup, agrees)
  assert.ok(parametersOf((await ask(elsewhere)).url).code)
  const more = await ask(elsewhere, 'openid entitlements')
  assert.match(textOf(more.body), /Your plan and whether it is active/)
  await elsewhere.submit('Allow')
  assert.ok(parametersOf((await ask(agent, 'openid entitlements')).url).code)
})

test('an agreement is with one app: another asks for its own', async () => {
  const agent = await signInAs(setup, await person('separate'))
  await signInToApp(setup, agent)
  const other = await addApp(setup, { redirect_uris: [setup.callback] })
  const attempt = await startSignIn(await discover(setup, other), setup.callback)
  const page = await agent.open(attempt.url.href)
  assert.match(textOf(page.body), /Sign in to Driftwood/)
})

test('a buyer comes back from the checkout signed in, without a click', async () => {
  const agent = browser(setup)
  await purchase(setup, agent, { email: 'new-buyer@example.org' })
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await agent.open(attempt.url.href)
  const tokens = await exchange(setup.app_side, attempt, url)
  const answer = await entitlementOf(setup, tokens.access_token)
  assert.equal(answer.json().status, 'active')
})

// Threat 20
test('a plan that a seller gives or imports is no agreement of the person', async () => {
  const { world, demo, clock } = setup
  const { client_id: app_id, prices } = demo.app
  const { product_id } = (await catalog.findLivePrice(world.db, prices[0]!.public_id))!
  const seller = await sellerActor(setup)
  for (const how of ['given', 'imported'] as const) {
    const { user_id, email } = await person(how)
    const party = { user_id, client_id: app_id }
    const license_id = mintId(world.random, 'lic')
    const give = async () => {
      if (how === 'given') {
        const given = { app_id, product_id, email, email_normalized: email, ends_at: null }
        const { outcome } = await givePlan(world, seller, { ...given, reason: 'A guess.' })
        assert.equal(outcome, 'given')
        return
      }
      await licensing.grantComp(world.db, clock.now(), world, {
        ...{ license_id, app_id, user_id, product_id },
        ends_at: null,
      })
      await world.db.run(sql`update licenses set origin = 'import' where id = ${license_id}`)
    }
    await give()
    const agent = await signInAs(setup, { user_id })
    const attempt = await startSignIn(setup.app_side, setup.callback)
    const asked = await agent.open(attempt.url.href)
    assert.match(asked.url, /^\/o\/interaction\//, how)
    assert.match(textOf(asked.body), /private ID for this app only/)
    assert.deepEqual(await grants.agreedScopes(world.db, party), [], how)
    await signInToApp(setup, agent)
    const agreed = await grants.agreedScopes(world.db, party)
    assert.deepEqual(agreed.toSorted(), ['entitlements', 'openid'], how)
  }
})

test('a session from a checkout is valid for its app alone, and is no single sign-on', async () => {
  const agent = browser(setup)
  await purchase(setup, agent, { email: 'limited@example.org' })
  await signInToApp(setup, agent)
  const other = await addApp(setup, { redirect_uris: [setup.callback] })
  const other_side = await discover(setup, other)
  const attempt = await startSignIn(other_side, setup.callback)
  assert.match((await agent.open(attempt.url.href)).url, /^\/signin\//)
  const silent = await startSignIn(other_side, setup.callback, { prompt: 'none' })
  const { url } = await agent.open(silent.url.href)
  assert.equal(parametersOf(url).error, 'login_required')
  await signInToApp(setup, agent)
})

test('a person who signed out of the service must sign in again, and the app’s own session continues', async () => {
  const agent = await signInAs(setup, await person('leaves'))
  const tokens = await signInToApp(setup, agent)
  agent.cookies.delete('__Host-session')
  const silent = await startSignIn(setup.app_side, setup.callback, { prompt: 'none' })
  assert.equal(parametersOf((await agent.open(silent.url.href)).url).error, 'login_required')
  const attempt = await startSignIn(setup.app_side, setup.callback)
  assert.match((await agent.open(attempt.url.href)).url, /^\/signin\//)
  assert.equal((await entitlementOf(setup, tokens.access_token)).statusCode, 200)
})

test('a sign-in with another account ends the session of the one before', async () => {
  const agent = await signInAs(setup, await person('before'))
  const theirs = await signInToApp(setup, agent)
  await signInAs(setup, await person('after'), { agent })
  const mine = await signInToApp(setup, agent)
  assert.notEqual(mine.claims()!.sub, theirs.claims()!.sub)
  assert.equal((await entitlementOf(setup, theirs.access_token)).statusCode, 401)
  assert.equal((await entitlementOf(setup, mine.access_token)).statusCode, 200)
})

test('a sign-in that waited while another account signed in elsewhere does not mix the two', async () => {
  const agent = browser(setup)
  const waiting = await startSignIn(setup.app_side, setup.callback)
  await agent.open(waiting.url.href)
  const here = returnPathOf(agent.page.url)
  const one = await person('first-tab')
  await signInAs(setup, one, { agent })
  const theirs = await signInToApp(setup, agent)
  await signInAs(setup, await person('second-tab'), { agent })
  const page = await agent.open(here)
  assert.match(textOf(page.body), /second-tab@example\.org/)
  const { url } = await agent.submit('Allow')
  const mine = await exchange(setup.app_side, waiting, url)
  assert.notEqual(mine.claims()!.sub, theirs.claims()!.sub)
})

test('another account that appears in the browser at the last moment is signed out, with its tokens', async () => {
  const { user_id } = await person('late')
  const theirs_agent = await signInAs(setup, await person('sudden'))
  const theirs = await signInToApp(setup, theirs_agent)
  const agent = await signInAs(setup, { user_id })
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const interaction = await hop(agent, attempt.url.pathname + attempt.url.search)
  const resume = await hop(agent, interaction)
  agent.cookies.set('__Host-sign-in', theirs_agent.cookies.get('__Host-sign-in')!)
  await agent.open(resume)
  const page = await agent.submit('Continue')
  assert.match(textOf(page.body), /late@example\.org/)
  const { url } = await agent.submit('Allow')
  const mine = await exchange(setup.app_side, attempt, url)
  assert.notEqual(mine.claims()!.sub, theirs.claims()!.sub)
  assert.equal((await entitlementOf(setup, theirs.access_token)).statusCode, 401)
})

/** Opens one address and returns its redirect, without following it. */
async function hop(agent: Agent, url: string): Promise<string> {
  const cookie = [...agent.cookies].map((pair) => pair.join('=')).join('; ')
  const answer = await setup.app.inject({ url, headers: { cookie } })
  for (const { name, value } of answer.cookies) agent.cookies.set(name, value)
  assert.equal(answer.statusCode, 303)
  return String(answer.headers.location)
}

test('a consent whose sign-in session ended meanwhile starts again', async () => {
  const owner = await person('ended')
  const agent = await signInAs(setup, owner)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  await agent.open(attempt.url.href)
  await grants.revokeAllOf(setup.world.db, owner.user_id)
  const page = await agent.submit('Allow')
  assert.equal(page.status, 400)
  assert.match(textOf(page.body), /Start signing in again/)
})

test('another account that signs in in the browser is asked for its own consent', async () => {
  const agent = await signInAs(setup, await person('asked'))
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await agent.open(attempt.url.href)
  const thief = await person('other-asked')
  await signInAs(setup, thief, { agent })
  // The form was rendered for the previous session, so neither it nor the page is accepted.
  assert.equal((await agent.submit('Allow')).status, 403)
  const page = await agent.open(url)
  assert.match(textOf(page.body), /other-asked@example\.org/)
  const back = await agent.submit('Allow')
  assert.ok(await exchange(setup.app_side, attempt, back.url))
  const { rows } = await setup.world.db.raw(
    `select email from consents c join users u on u.id = c.user_id where email like '%asked@%'`,
  )
  assert.deepEqual(rows, [{ email: 'other-asked@example.org' }])
})

test('a sign-in that began in another browser leads back to the app without a code', async () => {
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await browser(setup).open(attempt.url.href)
  const here = returnPathOf(url)
  const agent = await signInAs(setup, await person('elsewhere'))
  for (const address of [here, here.replace('?', '/cancel?')]) {
    const page = await agent.open(address)
    assert.equal(page.status, 400)
    assert.match(textOf(page.body), /Go to Tidepool/)
    assert.match(page.body, new RegExp(`href="${setup.demo.sample_site_url}/login"`))
  }
  const gone = await agent.open('/o/interaction/unknown')
  assert.match(textOf(gone.body), /Go to the home page/)
})

test('an unfinished sign-in expires after an hour', async () => {
  const agent = await signInAs(setup, await person('slow'))
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await agent.open(attempt.url.href)
  setup.clock.pass(3600)
  assert.match(textOf((await agent.open(url)).body), /Start signing in again/)
})

test('no other site can agree for a person', async () => {
  const agent = await signInAs(setup, await person('forged'))
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await agent.open(attempt.url.href)
  for (const headers of [{}, { origin: 'https://evil.example' }]) {
    const answer = await setup.app.inject({
      method: 'POST',
      url: `${url}/allow`,
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        cookie: [...agent.cookies].map((pair) => pair.join('=')).join('; '),
      },
      payload: '',
    })
    assert.equal(answer.statusCode, 403)
  }
})

test('F33: an app that a buyer disconnected asks again, and gets nothing silently', async () => {
  const agent = browser(setup)
  await purchase(setup, agent, { email: 'disconnects@example.org' })
  const tokens = await signInToApp(setup, agent)
  const { db } = setup.world
  const buyer = await identity.findByEmail(db, 'disconnects@example.org')
  const { client_id } = setup.demo.app
  const owner = { kind: 'account', user_id: buyer!.id, request_id: 'req_test' } as const
  await disconnectApp(setup.world, owner, client_id)
  assert.equal((await entitlementOf(setup, tokens.access_token)).statusCode, 401)
  assert.deepEqual(await grants.listApps(db, setup.clock.now(), buyer!.id), [])
  const silent = await startSignIn(setup.app_side, setup.callback, { prompt: 'none' })
  const { error, code } = parametersOf((await agent.open(silent.url.href)).url)
  assert.deepEqual([error, code], ['consent_required', undefined])
  const attempt = await startSignIn(setup.app_side, setup.callback)
  assert.match(textOf((await agent.open(attempt.url.href)).body), /Sign in to Tidepool/)
  const { url } = await agent.submit('Allow')
  assert.ok(await exchange(setup.app_side, attempt, url))
  assert.ok(parametersOf((await agent.open(silent.url.href)).url).code)
})
