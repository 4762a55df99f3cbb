import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { type ListedVersion, readListing, readVersions, revertChange } from '#flows/listing'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { refuse } from '#http/refusals'
import { readId } from '#platform/ids'
import { actorOf, appFactsOf } from './app-context.ts'
import { type ChangeFacts, ChangesPage, UndoPage } from './changes-pages.tsx'
import { compare, type Part } from './compare.ts'
import { activePlans, digestOf } from './plans-review.ts'
import { plainMessages } from './rows.ts'

const CHANGES = `${APP_PATH}/changes/`
const ON_A_PAGE = 20
/** Changes that can be undone: listings, plans and prices, but never addresses or secrets. */
const REVERTIBLE = /^(listing|versions|product)\./

/** The change log of an app, and undoing a change. */
export function declareChanges(scope: FastifyInstance, world: World): void {
  scope.get(CHANGES, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { id: app_id, slug } = context.app
    const before_id = readId('chg', queryOf(request, 'below'))
    const found = await apps.changesOf(world.db, app_id, { before_id, limit: ON_A_PAGE + 1 })
    const { rows, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: addressOf(slug, 'changes'),
      is_first: before_id === undefined,
      belowOf: ({ id }) => id,
    })
    const names = await planNames(world, context)
    const page = ChangesPage({
      ...appFactsOf(world, context, NOTES),
      ...addresses,
      changes: rows.map((change) => factsOf(change, names)),
    })
    return sendPage(reply, page)
  })

  scope.get(`${CHANGES}:id/`, async (request, reply) =>
    confirmUndo(world, await requireSellerTerms(world, request, reply)),
  )

  scope.post(`${CHANGES}:id/`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const { do: pressed, reviewed } = formOf(request)
    if (pressed !== 'undo') throw refuse('invalid_request')
    const change = await changeOf(world, context)
    const { basis, effects } = await reviewOf(world, context, change)
    // An undo sent twice finds nothing to change.
    if (effects.length > 0 && reviewed !== digestOf(effects))
      return await confirmUndo(world, context)
    const { id } = change
    const undone = await revertChange(world, actorOf(context), { app, change_id: id, basis })
    if (undone === 'not_revertible') throw refuse('not_found')
    if ('faults' in undone) {
      const obstacles = undone.is_outdated ? [] : plainMessages(undone.faults)
      return await confirmUndo(world, context, obstacles)
    }
    return redirectTo(reply, `${addressOf(app.slug, 'changes')}?done=undone`)
  })
}

/** Shows what undoing a change would do, and why it failed if it was tried. */
async function confirmUndo(world: World, context: SellerTermsContext, obstacles: string[] = []) {
  const change = await changeOf(world, context)
  const { names, effects } = await reviewOf(world, context, change)
  const isForm = context.request.method === 'POST'
  const page = UndoPage({
    ...appFactsOf(world, context),
    change: factsOf(change, names),
    effects,
    reviewed: digestOf(effects),
    has_changed: isForm && obstacles.length === 0,
    obstacles,
  })
  return sendPage(context.reply, page, { status: isForm ? 409 : 200 })
}

/** What undoing a change would change now, and what that was determined from. */
async function reviewOf(world: World, context: SellerTermsContext, change: apps.Change) {
  const names = await planNames(world, context)
  const { now, later } = await statesOfUndo(world, context, change)
  return { names, basis: now, effects: compare(now, later, names) }
}

/** The change of a request; throws `not_found` for one that cannot be undone. */
async function changeOf({ db }: World, { app, request }: SellerTermsContext): Promise<apps.Change> {
  const id = requireId('chg', paramsOf('/:id', request).id)
  const change = await apps.findChange(db, { app_id: app.id, id })
  if (!change || !REVERTIBLE.test(change.action)) throw refuse('not_found')
  return change
}

/** What a change affected, as it is now and as it would be after the undo. */
async function statesOfUndo(world: World, { app }: SellerTermsContext, change: apps.Change) {
  const before = change.before as Part
  const after = change.after as Part
  const every = await readVersions(world.db, app.id)
  const versions = activePlans(every)
  // The change may be about a plan that was deleted since.
  const { product_public_id } = before
  const plan = every.find((each) => each.product_public_id === product_public_id)
  const current: Part = plan ? { ...plan } : { ...(await readListing(world.db, app)), versions }
  const fields = Object.keys(before)
  const altered = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  const earlier: Part = before.versions
    ? { versions: withCurrentDescriptions(before.versions as ListedVersion[], every) }
    : before
  return {
    now: Object.fromEntries(fields.map((field) => [field, current[field]])),
    later: Object.fromEntries(
      fields.map((field) => [field, altered.includes(field) ? earlier[field] : current[field]]),
    ),
  }
}

/** The plans before a change with today's descriptions, as an undo would restore them. */
function withCurrentDescriptions(plans: ListedVersion[], every: ListedVersion[]): ListedVersion[] {
  return plans.map((plan) => {
    const now = every.find((each) => each.product_public_id === plan.product_public_id)
    return { ...plan, description: now?.description ?? plan.description }
  })
}

/** The names of an app's plans by ID, also of those that are no longer sold. */
export async function planNames(
  { db }: World,
  { app }: SellerTermsContext,
): Promise<Map<string, string>> {
  const versions = await readVersions(db, app.id)
  return new Map(versions.map(({ product_public_id, name }) => [product_public_id, name]))
}

function factsOf(change: apps.Change, names: ReadonlyMap<string, string>): ChangeFacts {
  return {
    id: change.id,
    at: change.at,
    what: change.reverts ? `Undid: ${WHAT[change.action].toLowerCase()}` : WHAT[change.action],
    who: change.agent === null ? change.email : `${change.agent} for ${change.email}`,
    is_agent: change.agent !== null,
    is_undo: change.reverts !== null,
    was_undone: change.reverted_by !== null,
    can_undo: REVERTIBLE.test(change.action),
    differences: compare(change.before as Part, change.after as Part, names),
  }
}

const WHAT: Record<apps.ChangeAction, string> = {
  'listing.updated': 'Listing changed',
  'listing.sections_replaced': 'Detail sections changed',
  'listing.features_replaced': 'Feature table changed',
  'versions.replaced': 'Plans and prices changed',
  'product.described': 'Description of a plan changed',
  'integration.updated': 'URLs changed',
  'integration.secret_created': 'Client secret created',
  'integration.secret_rotated': 'Client secret replaced',
}

const NOTES: Record<string, string> = {
  undone: 'Undone. You can undo this, too.',
}
