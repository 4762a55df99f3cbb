import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { appTime, type World } from '#flows/world'
import { buyUrl } from '#http/buy-link'
import type { SellerTermsContext } from '#http/guards/seller'
import { queryOf } from '#http/input'
import { appFactsOf } from './app-context.ts'
import { buildBuyLink } from './buy-link.ts'
import type { AddressForm, Integration } from './integration-page.tsx'
import { snippetsOf } from './snippets.ts'

/** Gathers the facts of an app's integration page. */
export async function integrationOf(
  world: World,
  context: SellerTermsContext,
  notes: Record<string, string>,
): Promise<Omit<Integration, 'base' | 'faults'>> {
  const { config, db, keys } = world
  const { app, session, request } = context
  const client = await apps.getClientOf(db, app.id)
  const form = formOfAddresses({ ...client, oauth_login_url: app.oauth_login_url })
  const products = await catalog.products(db, app.id)
  const prices = await catalog.livePrices(db, app.id)
  const holder = { app_id: app.id, user_id: session.user_id }
  const preview = await licensing.findPreview(db, holder)
  const { name = 'A plan that is no longer for sale' } =
    products.find(({ id }) => id === preview?.product_id) ?? {}
  return {
    ...appFactsOf(world, context, notes),
    client_id: client.client_id,
    has_secret: client.secret_hash !== null,
    base_url: config.base_url,
    other_mode: config.live_url ? 'live' : config.test_mode && 'test',
    issuer: `${config.base_url}/o`,
    form,
    opened: form,
    add_on: apps.addOnOf(appTime(world, app), app),
    allows_pause: app.allows_pause,
    plans: products.filter(({ is_free }) => !is_free),
    preview: preview && { plan: name, license_key: licensing.showKey(keys, preview) },
    is_published: app.is_published,
    external_sales_enabled: app.external_sales_enabled,
    is_on_sale: app.is_on_sale,
    is_suspended: app.is_suspended,
    links: prices.map(({ id, product_name, amount, frequency }) => ({
      id,
      plan: product_name,
      amount,
      frequency,
      url: buyUrl(config.base_url, id),
    })),
    checks: await apps.lastChecks(db, app.id),
    built: await buildBuyLink(world, request, { app, prices }),
    ...codeOf(world, context, { ...client, price_id: prices[0]?.id }),
  }
}

/** The snippets of the app's mode, and the one in `?snippet=`. */
function codeOf(
  world: World,
  { app, request }: Pick<SellerTermsContext, 'app' | 'request'>,
  { client_id, redirect_uris, price_id }: apps.AppClient & { price_id: string | undefined },
) {
  const { base_url } = world.config
  const mode = apps.addOnOf(appTime(world, app), app).is_on ? 'hosted_sign_in' : 'license_keys'
  const { oauth_login_url } = app
  const redirect_uri = redirect_uris.find((uri) => uri.startsWith('https:')) ?? redirect_uris[0]
  const values = { base_url, client_id, oauth_login_url, redirect_uri, price_id }
  const snippets = snippetsOf(mode, values)
  const named = snippets.find(({ name }) => name === queryOf(request, 'snippet'))
  return { mode, snippets, chosen: (named ?? snippets[0]!).name } as const
}

/** The URLs in a form, or those that were saved when it was opened; lists have one per line. */
export function addressesOf(form: Record<string, string>, prefix = ''): apps.Addresses {
  const read = (name: keyof AddressForm) => form[`${prefix}${name}`]
  return {
    oauth_login_url: (read('oauth_login_url') ?? '').trim(),
    redirect_uris: linesOf(read('redirect_uris')),
    post_logout_redirect_uris: linesOf(read('post_logout_redirect_uris')),
  }
}

/** The form for these URLs. */
export function formOfAddresses(addresses: apps.Addresses): AddressForm {
  return {
    oauth_login_url: addresses.oauth_login_url,
    redirect_uris: addresses.redirect_uris.join('\n'),
    post_logout_redirect_uris: addresses.post_logout_redirect_uris.join('\n'),
  }
}

/** The form field of an error's path, such as `redirect_uris[2]`. */
export function fieldOf(path: string): string {
  return path.replace(/\[\d+\]$/, '')
}

function linesOf(text = ''): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}
