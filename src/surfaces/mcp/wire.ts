import { z } from 'zod'
import { FREQUENCIES } from '#platform/calendar'
import type { ChangeId } from '#platform/ids'

/** The app that a result is about. */
export const AppName = z.strictObject({
  slug: z.string().describe('The value of `app_slug`.'),
  name: z.string(),
})

/** The name and slug of an app, for results. */
export function nameOf({ slug, name }: z.output<typeof AppName>): z.output<typeof AppName> {
  return { slug, name }
}

/** A version: a product with its prices. */
export const Version = z.strictObject({
  product_public_id: z.string().describe('`prod_…`. Never changes.'),
  name: z.string(),
  description: z.string(),
  is_free: z.boolean(),
  is_active: z.boolean().describe('False if the product was deleted and is no longer for sale.'),
  trial_days: z.int().describe('Days before the first charge. 0 means no trial.'),
  prices: z.array(
    z.strictObject({
      public_id: z.string().describe('`prc_…`, the ID in the Buy link.'),
      amount: z.string().describe('Two decimals, before tax: `12.00`.'),
      currency: z.literal('usd'),
      frequency: z.enum(FREQUENCIES).nullable().describe('Null for a one-time price.'),
    }),
  ),
})

/** A removed item in the result of a change. */
const Removed = z.strictObject({
  kind: z.enum([
    'section',
    'feature',
    'version',
    'price',
    'category',
    'industry',
    'tag',
    'redirect_uri',
    'post_logout_redirect_uri',
    'client_secret',
  ]),
  id: z.string().nullable().describe('Null if this kind of item has no ID.'),
  name: z.string(),
})

/** A changed field. */
const Altered = z.strictObject({
  path: z
    .string()
    .describe(
      'Path of the field, such as `sections[2].title`, counted from 0. For removed items, the previous path.',
    ),
  before: z.unknown().describe('Previous value. Null if there was none.'),
  after: z.unknown().describe('New value. Null if removed.'),
})

/** What every write tool returns besides the new state. */
export const RECEIPT = {
  changed: z.array(Altered).describe('Every changed field, with previous and new values.'),
  removed: z.array(Removed).describe('What this change removed.'),
  audit_id: z
    .string()
    .nullable()
    .describe('ID of the entry in the change log. Null for a dry run or if nothing changed.'),
  dry_run: z.boolean().describe('True if nothing was saved.'),
}

export type RemovalReceipt = z.output<z.ZodObject<typeof RECEIPT>>

/** A change that was made, or would be by a dry run. */
interface AppliedChange {
  changed: { path: string; before: unknown; after: unknown }[]
  removed: RemovalReceipt['removed']
  change_id: ChangeId | null
}

/** The part of a tool's result that describes its change. */
export function receiptOf(applied: AppliedChange, dry_run: boolean): RemovalReceipt {
  const changed = applied.changed.map(({ path, before, after }) => ({
    path,
    before: before ?? null,
    after: after ?? null,
  }))
  return { changed, removed: applied.removed, audit_id: applied.change_id, dry_run }
}
