import { z } from 'zod'
import * as apps from '#domain/apps'
import { readVersions } from '#flows/listing'
import { type Tool, tool } from './tool.ts'
import { AppName, nameOf, Version } from './wire.ts'

const Apps = z.strictObject({
  apps: z.array(
    z.strictObject({
      slug: z.string().describe('The value of `app_slug` in every other tool.'),
      name: z.string(),
      client_id: z.string(),
      url: z.string().describe("The app's registered website."),
      listing_mode: z.enum(['marketplace', 'external']),
      is_published: z.boolean(),
      external_sales_enabled: z.boolean(),
    }),
  ),
})

/** The only tool without an `app_slug`: it lists the apps. */
const listApps: Tool = {
  name: 'list_apps',
  title: 'List your apps',
  description:
    'Lists the apps of the signed-in seller, by name. Start here: every other tool takes ' +
    'the `slug` of one of these apps as `app_slug`. Buy links and public prices of an app ' +
    'are open once it is published and external sales is enabled. Read-only.',
  scope: 'any',
  writes: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  output: Apps,
  async run({ world, actor }) {
    const own = await apps.listOf(world.db, actor.user_id)
    const json: z.input<typeof Apps> = {
      apps: own.map((app) => ({
        slug: app.slug,
        name: app.name,
        client_id: app.id,
        url: app.url,
        listing_mode: app.listing_mode,
        is_published: app.is_published,
        external_sales_enabled: app.external_sales_enabled,
      })),
    }
    return { json }
  },
}

const listProducts = tool({
  name: 'list_products',
  title: "List an app's products",
  description:
    'Lists the products (plans, versions) of an app in the order of its pricing table, ' +
    'each with its prices. Products with `is_active` false were deleted: they cannot be ' +
    'bought, and existing buyers keep them. `product_public_id` is the product ID in ' +
    'other tools and what an app gates its features on. The `public_id` of a price is the ' +
    'ID in its Buy link. Read-only.',
  scope: 'any',
  writes: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  output: z.strictObject({ app: AppName, products: z.array(Version) }),
  async run({ world, app }) {
    return { json: { app: nameOf(app), products: await readVersions(world.db, app.id) } }
  },
})

/**
 * The tools for discovery, which a token of any scope may use (spec: Agent-management endpoint).
 */
export const discoveryTools: Tool[] = [listApps, listProducts]
