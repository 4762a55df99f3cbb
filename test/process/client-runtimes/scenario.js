/**
 * What an app does with the client, in plain JavaScript for every runtime. Each part returns facts
 * that can be compared: the same in all runtimes.
 */
import { buyLink, cachedValidator, createClient, createSignIn, isPurserError } from '@purser/client'
import { requireLicense } from '@purser/client/next'
import { createTestPurser } from '@purser/client/testing'

const codeOf = (promise) =>
  promise.then(
    () => 'no error',
    (error) => (isPurserError(error) ? error.code : String(error)),
  )

/** Prices, licenses, the cache, a guard and the test double. */
async function sell({ credentials, license_key, svc_order }) {
  const purser = createClient(credentials)
  const licenses = cachedValidator(purser, { max_age_seconds: 60 })
  const { app_name, prices } = await purser.prices()
  const order = await purser.order(svc_order)
  const [one, other] = await Promise.all([
    licenses.validate(license_key),
    licenses.validate(license_key),
  ])
  const guard = requireLicense(licenses)((_request, { status }) => Response.json({ status }))
  const statusOf = async (key) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await guard(new Request('https://app.example/', { headers }), {})
    return [answer.status, Object.values(await answer.json())[0]]
  }
  const unreachable = createClient({ ...credentials, base_url: 'http://127.0.0.1:1' })
  return {
    app_name,
    prices: prices.length,
    link: buyLink(purser.base_url, prices[0].public_id, { email: 'a+b@example.com' }),
    is_same_key: order.license_key === license_key,
    status: one.status,
    is_copy: one !== other,
    unknown: await codeOf(purser.validate('key_unknown')),
    forged: await codeOf(purser.order('forged')),
    revoked: await codeOf(purser.entitlement('never-issued')),
    impostor: await codeOf(createClient({ ...credentials, client_secret: 'x' }).validate('key_1')),
    unreachable: await codeOf(unreachable.validate('key_1')),
    licensed: await statusOf(license_key),
    unlicensed: await statusOf('key_unknown'),
    double: await useDouble(),
  }
}

/** Signs a person in at the test double, which signs with a key of this runtime. */
async function useDouble() {
  const purser = createTestPurser()
  const person = purser.addPerson(purser.addLicense({ status: 'trialing' }))
  const redirect_uri = 'https://app.example/callback'
  const { url, login } = await purser.sign_in.authorizationLink({ redirect_uri })
  const { tokens } = await purser.sign_in.callback(purser.authorize(url, person), login)
  return (await purser.client.entitlement(tokens.access_token)).status
}

/** Begins a sign-in; a browser goes on from there. */
async function begin({ credentials, redirect_uri }) {
  return await createSignIn(credentials).authorizationLink({ redirect_uri, return_to: '/week' })
}

/** Ends the sign-in of a browser that returned. */
async function finish({ credentials, arrived, login, home }) {
  const sign_in = createSignIn(credentials)
  const forged = await codeOf(sign_in.callback(arrived.replace('state=', 'state=x'), login))
  const { tokens, return_to } = await sign_in.callback(arrived, login)
  const [one, other] = await Promise.all([sign_in.refresh(tokens), sign_in.refresh(tokens)])
  const logout = await sign_in.logoutLink(one, { post_logout_redirect_uri: home })
  return {
    forged,
    return_to,
    sub: tokens.sub,
    is_one_refresh: one.access_token === other.access_token,
    status: (await createClient(credentials).entitlement(one.access_token)).status,
    logout: new URL(logout).pathname,
  }
}

/** The parts by name. */
export const parts = { sell, begin, finish }
