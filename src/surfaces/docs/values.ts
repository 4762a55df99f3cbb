import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_CLIENT, LOCALHOST_PORT } from '#domain/grants'
import type { World } from '#flows/world'
import { pinnedComponents } from '#http/assets'
import { integrityOf } from '#platform/assets'

interface DemoCredentials {
  client_id: string
  client_secret: string
}

interface DemoLogin {
  email: string
  password: string
}

interface DemoPrice {
  public_id: string
  amount: string
  frequency: string | null
}

/** A price on one line: its ID, then what it is. */
function describedPrice({ public_id, amount, frequency }: DemoPrice): string {
  return `${public_id} $${amount} ${frequency ? `per ${frequency}` : 'once'}`
}

/** Placeholders that a reader without the demo replaces. */
const PLACEHOLDERS = { client_id: 'app_YourClientId', client_secret: 'YourClientSecret' }

/** The values of this installation that pages show, by their names in Markdown. */
export function openValues(world: World): () => Record<string, string> {
  const { base_url } = world.config
  const modes = modesOf(world) ?? { live: base_url, test: base_url }
  const fixed = {
    base_url,
    issuer: `${base_url}/o`,
    host: new URL(base_url).host,
    components_url: `${base_url}/components/v1.js`,
    components_pinned_url: `${base_url}/components/${pinnedComponents()}`,
    components_integrity: integrityOf('components.js'),
    mcp_url: `${base_url}/mcp`,
    agent_client_id: AGENT_CLIENT,
    localhost_port: String(LOCALHOST_PORT),
    live_url: modes.live,
    test_url: modes.test,
  }
  const demo = demoReader(world)
  return () => {
    const facts = demo()
    const own = `Replace the client ID and the client secret with those of your app, from its page **Integration** on the [dashboard](${base_url}/dashboard/). You create the secret there, and it is shown once. Use [test mode](${modes.test}/dashboard/).`
    const ready =
      'The values below are those of the demo of this installation, so you can start at once.'
    const app = facts?.app ?? PLACEHOLDERS
    const sign_in = facts?.sign_in_app ?? PLACEHOLDERS
    return {
      ...fixed,
      credentials: facts ? ready : own,
      buyer_login: facts
        ? `The demo has a buyer: ${facts.buyer.email}, password \`${facts.buyer.password}\`.`
        : '',
      demo_client_id: facts?.app.client_id ?? '',
      demo_client_secret: facts?.app.client_secret ?? '',
      demo_prices: (facts?.app.prices ?? []).map(describedPrice).join('\n'),
      demo_site_url: facts?.sample_site_url ?? '',
      demo_sign_in_client_id: facts?.sign_in_app.client_id ?? '',
      demo_sign_in_url: facts?.sign_in_site_url ?? '',
      client_id: app.client_id,
      client_secret: app.client_secret,
      sign_in_client_id: sign_in.client_id,
      sign_in_client_secret: sign_in.client_secret,
    }
  }
}

/** Both origins if live mode has a test mode beside it; undefined for the sandbox alone. */
function modesOf({ config }: World): { live: string; test: string } | undefined {
  const { base_url, live_url, test_mode } = config
  if (live_url) return { live: live_url, test: base_url }
  return test_mode && { live: base_url, test: test_mode.base_url }
}

/**
 * The demo's apps, whose credentials anyone may try: no money moves in the sandbox. They are
 * written when the demo has started.
 */
function demoReader({ config }: World) {
  type DemoValues = {
    app: DemoCredentials & { prices: DemoPrice[] }
    sign_in_app: DemoCredentials
    sample_site_url: string
    sign_in_site_url: string
    buyer: DemoLogin
  }
  let known: DemoValues | undefined
  return (): DemoValues | undefined => {
    if (!config.demo || config.stripe) return undefined
    try {
      known ??= JSON.parse(readFileSync(join(config.data_dir, 'demo.json'), 'utf8')) as DemoValues
    } catch {
      // The demo is still starting.
    }
    return known
  }
}
