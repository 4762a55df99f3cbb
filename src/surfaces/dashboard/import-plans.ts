import * as catalog from '#domain/catalog'
import * as imports from '#domain/imports'
import { addVersions } from '#flows/listing'
import type { World } from '#flows/world'
import type { FormFault } from '#http/form-errors'
import { formatAmount } from '#platform/money'
import type { FieldFault } from '#platform/problem'
import { nameKey, tidyText } from '#platform/text'
import { actorOf } from './app-context.ts'
import type { ImportContext } from './import-context.ts'
import { plainMessage } from './rows.ts'

/** A product of a file that needs a new plan, and its form field. */
interface WantedPlan extends imports.FilePlan {
  field: string
}

type ChosenPlans = { plans: imports.Import['plans'] } | { faults: FormFault[] }

/** Reads the plan that the form has for each product; plans to be created are created first. */
export async function chosenPlans(
  world: World,
  context: ImportContext,
  form: Record<string, string>,
): Promise<ChosenPlans> {
  const { db } = world
  const found = await imports.plansOf(db, context.read.id)
  if (found.length > imports.MAX_FILE_PLANS) return { faults: [] }
  const products = await catalog.products(db, context.app.id)
  const paid = new Set<string>(products.filter(({ is_free }) => !is_free).map(({ id }) => id))
  const plans: [plan: string, product_id: catalog.Product['id'] | null][] = []
  const wanted: WantedPlan[] = []
  const faults: FormFault[] = []
  for (const [index, file_plan] of found.entries()) {
    const { plan } = file_plan
    const field = `plan-${index}`
    const choice = form[field] ?? ''
    const product = products.find(({ id }) => id === choice && paid.has(id))
    if (choice === 'create') wanted.push({ ...file_plan, field })
    else if (choice === 'skip') plans.push([plan, null])
    else if (product) plans.push([plan, product.id])
    else faults.push({ id: field, message: `Choose a plan for ${namedOf(plan)}.` })
  }
  faults.push(...wantedFaults(wanted, products))
  if (faults.length > 0) return { faults }
  if (wanted.length === 0) return { plans: Object.fromEntries(plans) }
  const created = await createPlans(world, context, { wanted, present: products.length })
  if ('faults' in created) return created
  return { plans: { ...Object.fromEntries(plans), ...created.plans } }
}

/** The plan of a product as it is named in a sentence. */
function namedOf(plan: string): string {
  return plan || 'the rows without a product'
}

/** The name of the plan that is created for a product, as it is stored. */
function nameOf({ plan }: Pick<imports.FilePlan, 'plan'>): string {
  const first = Array.from(tidyText(plan)).slice(0, catalog.VERSION_NAME.most)
  return tidyText(first.join(''))
}

/** Products whose plans cannot be created as the file has them, each at its field. */
function wantedFaults(
  wanted: readonly WantedPlan[],
  products: readonly catalog.Product[],
): FormFault[] {
  const taken = new Set(products.map(({ name }) => nameKey(name)))
  return wanted.flatMap((each) => {
    const key = nameKey(nameOf(each))
    const isTaken = taken.has(key)
    taken.add(key)
    const message =
      each.plan === ''
        ? 'These rows have no name for a plan. Choose a plan of the app.'
        : each.amount === null
          ? 'The file has no price for this product that a plan can have. Add the plan on the Plans page, and choose it here.'
          : isTaken
            ? 'A plan with this name exists. Choose it, or add one on the Plans page.'
            : undefined
    return message === undefined ? [] : [{ id: each.field, message }]
  })
}

/**
 * Creates a plan for each product, with its name and its usual price in the file, beside the plans
 * that the app has. The change is in the app's log and can be undone there.
 */
async function createPlans(
  world: World,
  context: ImportContext,
  { wanted, present }: { wanted: readonly WantedPlan[]; present: number },
): Promise<ChosenPlans> {
  const { app } = context
  const added = wanted.map(({ amount, frequency, ...each }) => ({
    name: nameOf(each),
    is_free: false,
    prices: amount === null ? [] : [{ amount: formatAmount(amount), frequency }],
  }))
  const written = await addVersions(world, actorOf(context), { app, added, dry_run: false })
  if ('faults' in written) {
    return { faults: written.faults.map((fault) => placed(fault, { wanted, present })) }
  }
  const made = new Map(
    written.state.map(({ name, product_public_id }) => [name, product_public_id]),
  )
  const plans = wanted.map((each) => [each.plan, made.get(nameOf(each))!] as const)
  return { plans: Object.fromEntries(plans) }
}

/** A fault at the field of its product; the products to create follow those that are present. */
function placed(
  { path, message }: FieldFault,
  { wanted, present }: { wanted: readonly WantedPlan[]; present: number },
): FormFault {
  const [, index] = /^versions\[(\d+)\]/.exec(path) ?? []
  const own = wanted[Number(index) - present] ?? wanted[0]
  return {
    id: own?.field ?? 'plan-0',
    message: `The plan was not created: ${plainMessage(message)}`,
  }
}
