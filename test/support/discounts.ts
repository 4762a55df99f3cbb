import * as discounts from '#domain/discounts'
import { type AppId, type DiscountId, mintId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { TestService } from './service.ts'

let count = 0

/** Adds a code to an app: 20 percent off the first payment, unless the facts say otherwise. */
export async function addCode(
  { world, clock }: Pick<TestService, 'world' | 'clock'>,
  app_id: AppId,
  facts: Partial<discounts.DiscountTerms & { code: string }> = {},
): Promise<{ id: DiscountId; code: string }> {
  const id = mintId(world.random, 'disc')
  const code = facts.code ?? `CODE-${++count}`
  const percent = facts.amount === undefined ? 20 : null
  await discounts.addDiscount(world.db, clock.now(), {
    id,
    app_id,
    percent,
    amount: null as Cents | null,
    periods: 1,
    valid_from: null,
    valid_until: null,
    max_uses: null,
    is_once_per_buyer: false,
    is_first_purchase: false,
    product_ids: [],
    ...facts,
    code,
  })
  return { id, code }
}
