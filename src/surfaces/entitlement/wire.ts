import { z } from 'zod'
import { ENTITLEMENT_STATUSES } from '#domain/licensing'

/** What a person may use, as the specification's table has it. */
export const Entitlement = z
  .strictObject({
    entitled: z.boolean().describe('True if the person may use the app right now.'),
    version: z.string().describe('The name of the plan, for display; empty without a plan.'),
    product_public_id: z
      .string()
      .describe('The plan, `prod_…`; gate features on this. Empty without a plan.'),
    product_id: z.string().describe('Always equal to `product_public_id`.'),
    status: z.enum(ENTITLEMENT_STATUSES),
    is_free: z.boolean().describe("True when this is the app's free plan."),
    period_end: z.iso.date().nullable().describe('A day in UTC; null when nothing ends.'),
  })
  .meta({ id: 'Entitlement' })
