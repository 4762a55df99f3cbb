import { z } from 'zod'
import { FREQUENCIES } from '#platform/calendar'

/** Which app an answer is about. */
export const AppName = z.strictObject({
  slug: z.string().describe('What `app_slug` takes.'),
  name: z.string(),
})

/** What an answer names an app by. */
export function nameOf({ slug, name }: z.output<typeof AppName>): z.output<typeof AppName> {
  return { slug, name }
}

/** A version of an app: a product, a plan. */
export const Version = z.strictObject({
  product_public_id: z.string().describe('`prod_…`, kept for good.'),
  name: z.string(),
  description: z.string(),
  is_free: z.boolean(),
  is_active: z.boolean().describe('False for one that was deleted and is sold no longer.'),
  trial_days: z.int().describe('Days before the first charge; 0: none.'),
  prices: z.array(
    z.strictObject({
      public_id: z.string().describe('`prc_…`, the id inside the buy link.'),
      amount: z.string().describe('Two decimals, before tax: `12.00`.'),
      currency: z.literal('usd'),
      frequency: z.enum(FREQUENCIES).nullable().describe('Null where it is paid once.'),
    }),
  ),
})

/** One line of the receipt that names what a change took away. */
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
  id: z.string().nullable().describe('Null where a thing of this kind has no id.'),
  name: z.string(),
})

/** One field that a change altered. */
const Altered = z.strictObject({
  path: z
    .string()
    .describe(
      'Where it stands, as `sections[2].title`, counted from 0; what is gone, where it stood.',
    ),
  before: z.unknown().describe('As it was; null where there was nothing.'),
  after: z.unknown().describe('As it is now; null where nothing is left.'),
})

/** What every write tool answers beside the state after the change. */
export const RECEIPT = {
  changed: z.array(Altered).describe('Every field that differs, as it was and as it is now.'),
  removed: z.array(Removed).describe('What this change took away.'),
  audit_id: z
    .string()
    .nullable()
    .describe("The change in the app's log; null for a dry run, or where nothing was altered."),
  dry_run: z.boolean().describe('True where nothing was saved.'),
}

export type RemovalReceipt = z.output<z.ZodObject<typeof RECEIPT>>

/** What a story tells of a change that it made, or that a dry run would make. */
interface AppliedChange {
  changed: { path: string; before: unknown; after: unknown }[]
  removed: RemovalReceipt['removed']
  change_id: string | null
}

/** The receipt of a change, for the answer of the tool that made it. */
export function receiptOf(applied: AppliedChange, dry_run: boolean): RemovalReceipt {
  const changed = applied.changed.map(({ path, before, after }) => ({
    path,
    before: before ?? null,
    after: after ?? null,
  }))
  return { changed, removed: applied.removed, audit_id: applied.change_id, dry_run }
}
