import { z } from 'zod'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { rotateToClaim, saveAddresses } from '#flows/integration'
import { appTime, type World } from '#flows/world'
import { isoSeconds } from '#platform/calendar'
import { type Tool, tool } from './tool.ts'
import { AppName, nameOf, RECEIPT, receiptOf } from './wire.ts'

const ADDRESS =
  'an HTTPS URL on the host of the registered website or a subdomain; for development ' +
  'also localhost or 127.0.0.1 on any port'

const Settings = z.strictObject({
  client_id: z.string().describe("The app's public OAuth client ID."),
  oauth_login_url: z.string().describe('The page of the app that starts sign-in.'),
  redirect_uris: z
    .array(z.string())
    .describe('URLs that sign-in may redirect to. Must match exactly.'),
  post_logout_redirect_uris: z.array(z.string()).describe('URLs that sign-out may redirect to.'),
  is_published: z.boolean(),
  external_sales_enabled: z.boolean(),
  oauth_client_provisioned: z.boolean().describe('True if the client has a secret.'),
  buy_link_preconditions: z
    .strictObject({
      is_published: z.boolean(),
      external_sales_enabled: z.boolean(),
      has_price: z.boolean(),
      are_met: z.boolean().describe('False also while staff have suspended the app.'),
    })
    .describe('Buy links return 404 until the app is published and external sales is enabled.'),
  hosted_sign_in: z
    .strictObject({
      is_on: z.boolean(),
      is_charged: z.boolean().describe('True after the free months have ended.'),
      trial_ends_at: z.iso
        .datetime()
        .nullable()
        .describe('The end of the free months, in UTC. Null if the add-on was never turned on.'),
      dashboard_url: z
        .string()
        .describe('The page where the seller turns it on or off. No tool can do this.'),
    })
    .describe('The hosted sign-in add-on. Without it, the entitlement endpoint returns 403.'),
  integration_mode: z.literal('standard').describe('Deprecated. Same for every app. Ignore it.'),
})

async function settingsOf(
  { db, clock, config }: World,
  { id }: apps.App,
): Promise<z.input<typeof Settings>> {
  const app = await apps.get(db, id)
  const client = await apps.getClientOf(db, id)
  const has_price = (await catalog.livePrices(db, id)).length > 0
  const { is_on, is_charged, trial_ends_at } = apps.addOnOf(appTime({ clock }, app), app)
  const { is_published, external_sales_enabled } = app
  return {
    client_id: client.client_id,
    oauth_login_url: app.oauth_login_url,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    is_published,
    external_sales_enabled,
    oauth_client_provisioned: client.secret_hash !== null,
    buy_link_preconditions: {
      is_published,
      external_sales_enabled,
      has_price,
      are_met: app.is_on_sale && has_price,
    },
    hosted_sign_in: {
      is_on,
      is_charged,
      trial_ends_at: trial_ends_at && isoSeconds(trial_ends_at),
      dashboard_url: `${config.base_url}/dashboard/apps/${app.slug}/integration/`,
    },
    integration_mode: 'standard',
  }
}

const getSettings = tool({
  name: 'get_integration_settings',
  title: 'Read integration settings',
  description:
    'Reads the integration settings of an app: the client ID, the Login URL, both lists ' +
    'of redirect URIs, the status of its Buy links, and the hosted sign-in add-on. The ' +
    'client secret is never returned, and no client is created. Read-only.',
  scope: 'integrations.read',
  writes: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  output: z.strictObject({ app: AppName, settings: Settings }),
  async run({ world, app }) {
    return { json: { app: nameOf(app), settings: await settingsOf(world, app) } }
  },
})

const Uris = z.array(z.string()).meta({ maxItems: apps.MAX_REDIRECT_URIS })

const updateSettings = tool({
  name: 'update_integration_settings',
  title: 'Update integration settings',
  description:
    'Changes the Login URL and the redirect URIs of an app, effective immediately. ' +
    'Omitted fields do not change. Each list replaces the whole previous list: send every ' +
    'URI to keep. An empty ' +
    `list removes all of them. Every URI must be ${ADDRESS}. URIs are compared exactly: \`*\` is not ` +
    'a wildcard. ' +
    'If any URI is invalid, every error is listed and nothing is saved. `removed` lists ' +
    'the URIs that stopped working.',
  scope: 'integrations.write',
  writes: true,
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    oauth_login_url: z
      .string()
      .optional()
      .describe(`The page that starts sign-in, where buyers land by default: ${ADDRESS}.`),
    redirect_uris: Uris.optional().describe('The complete new list of callback URIs.'),
    post_logout_redirect_uris: Uris.optional().describe(
      'The complete new list of URIs that sign-out may redirect to.',
    ),
  }),
  output: z.strictObject({ app: AppName, settings: Settings, ...RECEIPT }),
  async run({ world, app, input, actor, dry_run }) {
    const saved = await saveAddresses(world, actor, { app, changes: input, dry_run })
    if ('faults' in saved) return saved
    const settings = { ...(await settingsOf(world, app)), ...saved.addresses }
    return { json: { app: nameOf(app), settings, ...receiptOf(saved, dry_run) } }
  },
})

const regenerateSecret = tool({
  name: 'regenerate_client_secret',
  title: 'Regenerate the client secret',
  description:
    "Replaces an app's client secret. The old secret stops working immediately: the app's " +
    'server cannot validate licenses or sign buyers in until it has the new one, so ask ' +
    'the seller first. The new secret is not in the response. `claim_url` shows it once ' +
    'and expires in ten minutes. Give the URL to the seller, or fetch it directly into ' +
    'the place where the secret is stored, never into a conversation. If the claim was ' +
    'lost, call this tool again.',
  scope: 'integrations.write',
  writes: true,
  destructive: true,
  idempotent: false,
  input: z.strictObject({}),
  output: z.strictObject({
    app: AppName,
    client_id: z.string(),
    claim_url: z.string().nullable().describe('Shows the secret once. Null for a dry run.'),
    expires_at: z.iso.datetime().nullable().describe('When the claim expires, in UTC.'),
    ...RECEIPT,
  }),
  async run({ world, app, actor, dry_run }) {
    const facts = { app_id: app.id, dry_run }
    const { client_id, had_secret, made } = await rotateToClaim(world, actor, facts)
    const before = { kind: 'client_secret' as const, id: null, name: 'The previous secret' }
    const removed = had_secret ? [before] : []
    const applied = { changed: [], removed, change_id: made?.change_id ?? null }
    return {
      json: {
        app: nameOf(app),
        client_id,
        claim_url: made ? `${world.config.base_url}/claim/${made.claim.token}` : null,
        expires_at: made ? isoSeconds(made.claim.expires_at) : null,
        ...receiptOf(applied, dry_run),
      },
    }
  },
})

/** The tools for integration settings and client secrets. */
export const integrationTools: Tool[] = [getSettings, updateSettings, regenerateSecret]
