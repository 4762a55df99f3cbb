import type { FastifyInstance } from 'fastify'
import * as catalog from '#domain/catalog'
import { copyLivePlans, highlightPlan, type ListedVersion, readVersions } from '#flows/listing'
import type { LiveContent, LiveMode, World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { actorOf, appFactsOf } from './app-context.ts'
import { CopyPlansPage } from './copy-plans-page.tsx'
import { activePlans, type CopyReview, digestOf, reviewOf } from './plans-review.ts'
import { plainMessages } from './rows.ts'

const COPY_PLANS = `${APP_PATH}/plans/copy/`

/** In the test mode beside live mode: shows what copying its plans would do, and copies them. */
export function declareCopyPlans(scope: FastifyInstance, world: World): void {
  const { live } = world
  if (!live) return
  scope.get(COPY_PLANS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const preview = await rehearse(world, context, await contentOf(live, context))
    return await show(world, context, preview)
  })

  scope.post(COPY_PLANS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const content = await contentOf(live, context)
    const preview = await rehearse(world, context, content)
    if (
      preview.obstacles.length > 0 ||
      formOf(request).reviewed !== digestOf([preview.review, preview.kept])
    ) {
      return await show(world, context, preview)
    }
    const refused = await copy(world, context, content, preview.before)
    if (refused?.is_outdated) {
      return await show(world, context, await rehearse(world, context, content))
    }
    if (refused) {
      const obstacles = plainMessages(refused.faults)
      return await show(world, context, { ...preview, obstacles })
    }
    return redirectTo(reply, `${addressOf(context.app.slug, 'plans')}?done=copied`)
  })
}

/** The live mode plans of an app, if its seller still has it there. */
async function contentOf(live: LiveMode, { app }: SellerTermsContext): Promise<LiveContent> {
  // Transferred since the last copy.
  if ((await live.sellerOf(app.id)) !== app.seller_id) throw refuse('not_found')
  return await live.content(app.id)
}

async function rehearse(
  world: World,
  context: SellerTermsContext,
  content: LiveContent,
): Promise<CopyReview & { before: ListedVersion[] }> {
  const { app } = context
  const before = activePlans(await readVersions(world.db, app.id))
  const outcome = await copyLivePlans(world, actorOf(context), { app, content, dry_run: true })
  if ('faults' in outcome) {
    const review = { removed: [], dead_links: [], differences: [] }
    return { before, review, kept: [], obstacles: plainMessages(outcome.faults) }
  }
  const { state, kept } = outcome
  const after = activePlans(state)
  const review = reviewOf(before, after, outcome)
  const nameOf = (plans: ListedVersion[], id: string | undefined) =>
    plans.find(({ product_public_id }) => product_public_id === id)?.name ?? null
  const highlighted = {
    what: 'Highlighted plan',
    before: nameOf(before, await catalog.highlighted(world.db, app.id)),
    after: nameOf(after, content.highlighted),
  }
  if (highlighted.before !== highlighted.after) review.differences.push(highlighted)
  return { before, review, kept, obstacles: [] }
}

/** Copies the plans if they are those that were reviewed; returns why not, if it is refused. */
async function copy(
  world: World,
  context: SellerTermsContext,
  content: LiveContent,
  before: ListedVersion[],
) {
  const { app } = context
  const actor = actorOf(context)
  const basis = { versions: before }
  const outcome = await copyLivePlans(world, actor, { app, content, basis, dry_run: false })
  if ('faults' in outcome) return outcome
  const { highlighted: product_id = null } = content
  if (((await catalog.highlighted(world.db, app.id)) ?? null) !== product_id) {
    await highlightPlan(world, actor, { app_id: app.id, product_id })
  }
  return undefined
}

function show(world: World, context: SellerTermsContext, preview: CopyReview) {
  const isForm = context.request.method === 'POST'
  const page = CopyPlansPage({
    ...appFactsOf(world, context),
    ...preview,
    reviewed: digestOf([preview.review, preview.kept]),
    has_changed: isForm && preview.obstacles.length === 0,
  })
  return sendPage(context.reply, page, { status: isForm ? 409 : 200 })
}
