import { z } from 'zod'
import { ENTITLEMENT_STATUSES } from '#domain/licensing'

/** The entitlement (spec: Entitlement endpoint). */
export const Entitlement = z
  .strictObject({
    entitled: z.boolean().describe('True if the buyer may use the app now.'),
    version: z.string().describe('The name of the plan, for display. Empty without a plan.'),
    product_public_id: z
      .string()
      .describe('The plan, `prod_…`. Gate features on this. Empty without a plan.'),
    product_id: z.string().describe('Always equal to `product_public_id`.'),
    status: z.enum(ENTITLEMENT_STATUSES),
    is_free: z.boolean().describe("True when this is the app's free plan."),
    period_end: z.iso
      .date()
      .nullable()
      .describe(
        'The end of the period, a date in UTC. Null if there is none, as for the free plan.',
      ),
  })
  .meta({ id: 'Entitlement' })
