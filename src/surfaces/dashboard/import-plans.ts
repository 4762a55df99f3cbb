import { VERSION_NAME } from '#domain/catalog'
import type * as imports from '#domain/imports'
import { addVersions } from '#flows/listing'
import type { World } from '#flows/world'
import { formatAmount } from '#platform/money'
import { actorOf } from './app-context.ts'
import type { ImportContext } from './import-context.ts'
import type { FormFault } from './layout.tsx'

/**
 * Creates a plan for each product, with its name and its usual price in the file, beside the plans
 * that the app has. The change is in the app's log and can be undone there.
 */
export async function createPlans(
  world: World,
  context: ImportContext,
  wanted: readonly imports.FilePlan[],
): Promise<{ plans: imports.Import['plans'] } | { faults: FormFault[] }> {
  const { app } = context
  const names = wanted.map(({ plan }) => plan.slice(0, VERSION_NAME.most).toWellFormed().trim())
  const added = wanted.map(({ amount, frequency }, index) => ({
    name: names[index]!,
    is_free: false,
    prices: amount === null ? [] : [{ amount: formatAmount(amount), frequency }],
  }))
  const written = await addVersions(world, actorOf(context), { app, added, dry_run: false })
  if ('faults' in written) {
    const reasons = written.faults.map(({ message }) => message).join(' ')
    const message = `The plans were not created: ${reasons} Create them on the Plans page.`
    return { faults: [{ id: 'plan-0', message }] }
  }
  const made = new Map(
    written.state.map(({ name, product_public_id }) => [name, product_public_id]),
  )
  return { plans: Object.fromEntries(wanted.map(({ plan }, at) => [plan, made.get(names[at]!)!])) }
}
