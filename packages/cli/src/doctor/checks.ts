/** The checks of `purser doctor`, in order. A check whose precondition failed is skipped. */
import { randomBytes } from 'node:crypto'
import { type Client, createClient, isPurserError, type Prices } from '@purser/client'
import { findOwnApp } from '../agent/apps.ts'
import { openAgent } from '../agent/mcp.ts'
import { NOT_SOLD, problemOf } from '../commands/links.ts'
import type { CommandContext } from '../context.ts'
import { asCliError, CliError, EXIT } from '../exit.ts'
import { findSecret, requireClientId, requireUrl } from '../settings.ts'
import { USER_AGENT } from '../version.ts'

export interface CheckResult {
  name: string
  title: string
  status: 'passed' | 'warning' | 'failed' | 'skipped'
  detail: string
  /** The next step; null if there is nothing to do. */
  fix: string | null
}

type Outcome = Omit<CheckResult, 'name' | 'title'>

const TIMEOUT_MS = 10_000
/** ID tokens are refused by clocks that differ by more. */
const SKEW_WARNING_SECONDS = 30
const SKEW_FAILURE_SECONDS = 300

const passed = (detail: string): Outcome => ({ status: 'passed', detail, fix: null })
const warning = (detail: string, fix: string): Outcome => ({ status: 'warning', detail, fix })
const failed = (detail: string, fix: string): Outcome => ({ status: 'failed', detail, fix })
const skipped = (detail: string, fix: string | null = null): Outcome => {
  return { status: 'skipped', detail, fix }
}

/** What later checks need from earlier ones. */
interface Findings {
  date: Date | undefined
  is_reachable: boolean
  client: Client | undefined
  /** Whether the client has a secret, which may come from a pipe: it is read once. */
  has_secret: boolean
  prices: Prices | undefined
}

type Check = (context: CommandContext, found: Findings) => Promise<Outcome> | Outcome

const CHECKS: [name: string, title: string, check: Check][] = [
  ['settings', 'Settings', checkSettings],
  ['service', 'Service', checkService],
  ['clock', 'Clock', checkClock],
  ['app', 'App', checkApp],
  ['prices', 'Prices', checkPrices],
  ['buy_link', 'Buy link', checkBuyLink],
  ['credentials', 'Client secret', checkCredentials],
  ['integration', 'Integration settings', checkIntegration],
]

/** Runs every check. */
export async function checkAll(
  context: CommandContext,
  report: (title: string) => void,
): Promise<CheckResult[]> {
  const found: Findings = {
    date: undefined,
    is_reachable: false,
    client: undefined,
    has_secret: false,
    prices: undefined,
  }
  const results: CheckResult[] = []
  for (const [name, title, check] of CHECKS) {
    report(title.toLowerCase())
    results.push({ name, title, ...(await check(context, found)) })
  }
  return results
}

function checkSettings({ settings, options }: CommandContext, found: Findings): Outcome {
  try {
    const [base_url, client_id] = [requireUrl(settings), requireClientId(settings)]
    const client_secret = findSecret(options)
    found.client = createClient({ base_url, client_id, client_secret })
    found.has_secret = client_secret !== undefined
    return passed(`${client_id} at ${base_url}`)
  } catch (error) {
    const known = asCliError(error)
    if (!known) throw error
    return failed('incomplete', known.message)
  }
}

async function checkService({ settings }: CommandContext, found: Findings): Promise<Outcome> {
  if (!settings.url) return skipped('needs the URL of the service')
  const fix = 'Check the URL: it is the URL of your dashboard, without a path.'
  try {
    const answer = await fetch(`${settings.url}/o/.well-known/openid-configuration`, {
      headers: { 'user-agent': USER_AGENT },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const date = answer.headers.get('date')
    found.date = date ? new Date(date) : undefined
    const body = (await answer.json().catch(() => ({}))) as { issuer?: unknown }
    if (body.issuer !== `${settings.url}/o`) {
      const is = typeof body.issuer === 'string' ? ` It calls itself ${body.issuer}.` : ''
      return failed('not Purser at this URL', fix + is)
    }
    found.is_reachable = true
    return passed('answers')
  } catch {
    return failed('no answer', `${fix} Check your network and your proxy too.`)
  }
}

function checkClock(_: CommandContext, { date }: Findings): Outcome {
  if (!date) return skipped('needs an answer from the service')
  const seconds = Math.round(Math.abs(Date.now() - date.getTime()) / 1000)
  const detail = `${seconds} s from the service's`
  const fix = 'Synchronize the clock of this machine (NTP). Sign-in depends on the time.'
  if (seconds > SKEW_FAILURE_SECONDS) return failed(detail, fix)
  return seconds > SKEW_WARNING_SECONDS ? warning(detail, fix) : passed(detail)
}

async function checkApp(_: CommandContext, { client, is_reachable }: Findings): Promise<Outcome> {
  if (!client || !is_reachable) return skipped('needs the settings and the service')
  try {
    const { name, url } = await client.app()
    return passed(`${name} (${url}) is published and can be bought`)
  } catch (error) {
    if (!isPurserError(error, 'not_found')) return broken(error)
    return failed(NOT_SOLD.detail, NOT_SOLD.fix)
  }
}

async function checkPrices(_: CommandContext, found: Findings): Promise<Outcome> {
  if (!found.client || !found.is_reachable) return skipped('needs the settings and the service')
  try {
    found.prices = await found.client.prices()
  } catch (error) {
    return isPurserError(error, 'not_found') ? skipped('needs a published app') : broken(error)
  }
  const { prices, has_free_tier } = found.prices
  const free = has_free_tier ? ', and a free plan' : ''
  if (prices.length > 0) return passed(`${prices.length} for sale${free}`)
  return failed(has_free_tier ? 'only a free plan' : 'none', 'Add a plan with a price under Plans.')
}

async function checkBuyLink(_: CommandContext, { prices }: Findings): Promise<Outcome> {
  const [first] = prices?.prices ?? []
  if (!first) return skipped('needs a price')
  const problem = await problemOf(first.buy_url)
  if (problem === null) return passed(`opens for ${first.product_name}`)
  return failed('does not open', problem.message)
}

async function checkCredentials(
  _: CommandContext,
  { client, has_secret, is_reachable }: Findings,
): Promise<Outcome> {
  if (!client || !is_reachable) return skipped('needs the settings and the service')
  if (!has_secret) return skipped('not given', 'Set PURSER_CLIENT_SECRET to check it.')
  try {
    await client.validate(`key_${randomBytes(20).toString('hex')}`)
    return failed('the service accepted a made-up key', 'Check the URL of the service.')
  } catch (error) {
    if (isPurserError(error, 'unknown_key')) return passed('accepted; an unknown key is refused')
    if (!isPurserError(error, 'invalid_client')) return broken(error)
    return failed(
      'refused',
      `Check that it is the secret of ${client.client_id}: each app and each mode has its own. If you do not have it, create a new one on the Integration page; the old one stops working immediately.`,
    )
  }
}

interface IntegrationSettings {
  oauth_login_url: string
  redirect_uris: string[]
  oauth_client_provisioned: boolean
  hosted_sign_in: { is_on: boolean; dashboard_url: string }
}

/** What only the signed-in seller may read: URLs of the app, and the add-on. */
async function checkIntegration(
  { settings, terminal }: CommandContext,
  { is_reachable }: Findings,
): Promise<Outcome> {
  if (!settings.url || !is_reachable) return skipped('needs the service')
  try {
    const call = openAgent(settings.url, terminal.note)
    const { slug, client_id } = await findOwnApp(call, settings)
    if (settings.client_id && client_id !== settings.client_id) {
      const fix = `Set the client ID of ${slug}, ${client_id}, or name another app with --app.`
      return failed(`the client ID does not belong to ${slug}`, fix)
    }
    const args = { app_slug: slug }
    const read = await call<{ settings: IntegrationSettings }>('get_integration_settings', args)
    return judged(read.settings)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (error.exit !== EXIT.sign_in) return failed('not readable', error.message)
    return skipped('not signed in', 'Run purser login to check the Login URL and redirect URIs.')
  }
}

function judged(settings: IntegrationSettings): Outcome {
  const { oauth_login_url, redirect_uris, oauth_client_provisioned, hosted_sign_in } = settings
  const page = hosted_sign_in.dashboard_url
  if (!oauth_client_provisioned) return failed('no client secret yet', `Create it: ${page}`)
  if (!oauth_login_url) {
    return failed('no Login URL', `Set it, because buyers return there by default: ${page}`)
  }
  if (hosted_sign_in.is_on && redirect_uris.length === 0) {
    return failed('hosted sign-in has no redirect URI', `Add your callback: ${page}`)
  }
  const sign_in = hosted_sign_in.is_on ? `redirect URIs: ${redirect_uris.length}` : 'license keys'
  return passed(`Login URL ${oauth_login_url}; ${sign_in}`)
}

function broken(error: unknown): Outcome {
  const known = asCliError(error)
  if (!known) throw error
  const { message, request_id } = known
  const support = request_id
    ? ` If it persists, contact support with the request ID ${request_id}.`
    : ''
  return failed(message, `Try again.${support}`)
}
