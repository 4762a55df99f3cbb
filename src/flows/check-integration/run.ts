import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { appTime, type World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { counted } from '#platform/text'
import { type LoginVisit, loginFinding, signInFinding, visitLogin } from './login.ts'

const DAY_MS = 86_400_000
const OLD_SECRET_DAYS = 365
const SKEW_SECONDS = 60

/**
 * Checks an app's integration: asks its Login URL, compares its URLs, and looks up a license as its
 * server would. Keeps what it found in place of the previous run.
 */
export async function checkIntegration(
  world: World,
  { app, user_id }: { app: apps.App; user_id: UserId },
): Promise<apps.CheckRun> {
  const { db, clock, config } = world
  const client = await apps.getClientOf(db, app.id)
  const signs_in = apps.addOnOf(appTime(world, app), app).is_on
  const { oauth_login_url, url } = app
  const { redirect_uris, post_logout_redirect_uris, client_id } = client
  const login = await visitLogin(world, oauth_login_url)
  const { production, base_url } = config
  const found = [
    loginFinding(login),
    signInFinding(login, { client_id, redirect_uris, signs_in, auth_url: `${base_url}/o/auth` }),
    ...apps.addressFindings({
      ...{ url, oauth_login_url, redirect_uris, post_logout_redirect_uris },
      ...{ signs_in, production },
    }),
    await secretFinding(world, app, client),
    ...(await lookupFindings(world, { app, client, user_id })),
    clockFinding(clock.now(), login),
  ]
  const order = apps.INTEGRATION_CHECKS
  const findings = found.toSorted((a, b) => order.indexOf(a.check) - order.indexOf(b.check))
  const now = clock.now()
  await apps.recordChecks(db, now, { app_id: app.id, findings })
  return { checked_at: now, findings }
}

async function secretFinding(
  { db, clock }: World,
  app: apps.App,
  client: apps.AppClient,
): Promise<apps.Finding> {
  const check = 'secret'
  if (client.secret_hash === null) {
    const remedy = 'Create one, and set it on your server.'
    return { check, outcome: 'error', text: 'The app has no client secret.', remedy }
  }
  const since = await apps.secretSince(db, app.id)
  const days = Math.floor((clock.now().getTime() - since.getTime()) / DAY_MS)
  const text = days === 0 ? 'Created today.' : `Created ${counted(days, 'day')} ago.`
  if (days <= OLD_SECRET_DAYS) return { check, outcome: 'passed', text, remedy: '' }
  const remedy = 'Rotate it once a year, and whenever someone who knows it leaves.'
  return { check, outcome: 'warning', text, remedy }
}

/** Reads a license by its key and by an order reference, as the calls of the app's server do. */
async function lookupFindings(
  { db, keys, clock }: World,
  facts: { app: apps.App; client: apps.AppClient; user_id: UserId },
): Promise<apps.Finding[]> {
  const { app, client, user_id } = facts
  const { client_id, secret_hash } = client
  const preview = await licensing.findPreview(db, { app_id: app.id, user_id })
  const license = preview ?? (await licensing.findAny(db, app.id))
  if (!license) {
    const text = 'The app has no license yet. Start a preview, then run the checks again.'
    return (['validation', 'order'] as const).map((check) => ({
      check,
      outcome: 'skipped',
      text,
      remedy: '',
    }))
  }
  const { license_id } = license
  const license_key = licensing.showKey(keys, license)
  const byKey = await licensing.findByKey(db, keys, { client_id, license_key })
  const id = (await billing.orderOfLicense(db, license_id)) ?? license_id
  const reference = licensing.signReference(keys, clock.now(), { client_id, order_id: id })
  const order_id = licensing.readReference(keys, clock.now(), { client_id, reference })
  const byOrder = await licensing.findByOrder(db, { client_id, order_id })
  const hasSecret = secret_hash !== null
  const what = preview ? 'Your preview' : 'A license'
  return [
    lookup('validation', hasSecret, byKey.found?.license_id === license_id, `${what} validates`),
    lookup('order', hasSecret, byOrder.found?.license_id === license_id, `${what} is found`),
  ]
}

function lookup(
  check: 'validation' | 'order',
  hasSecret: boolean,
  isFound: boolean,
  text: string,
): apps.Finding {
  if (!hasSecret) {
    const refused = 'Without a client secret, the call is refused with invalid_client.'
    return { check, outcome: 'error', text: refused, remedy: 'Create a client secret.' }
  }
  if (isFound) return { check, outcome: 'passed', text: `${text} with your client ID.`, remedy: '' }
  const remedy = 'This is an error on our side. Contact support.'
  return { check, outcome: 'error', text: 'No license was found.', remedy }
}

/** How far the server's clock is from ours, by its Date header. */
function clockFinding(now: Date, { answer }: LoginVisit): apps.Finding {
  const check = 'clock'
  if (!answer?.date) {
    return { check, outcome: 'skipped', text: 'Your server did not send its time.', remedy: '' }
  }
  const seconds = Math.round((answer.date.getTime() - now.getTime()) / 1000)
  if (Math.abs(seconds) <= SKEW_SECONDS) {
    return { check, outcome: 'passed', text: 'Your server’s clock agrees with ours.', remedy: '' }
  }
  const side = seconds > 0 ? 'ahead' : 'behind'
  const text = `Your server’s clock is ${Math.abs(seconds)} seconds ${side}.`
  const remedy =
    'Synchronize it with NTP. Otherwise sign-in tokens are refused as expired or not yet valid.'
  return { check, outcome: 'error', text, remedy }
}
