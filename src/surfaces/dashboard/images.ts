import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { changeScreenshot, removeIcon, restoreImage, uploadImage } from '#flows/app'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf, paramsOf, requireId, uploadOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readPanelByOffset } from '#http/pagination'
import { sendPicture } from '#http/picture-file'
import { refuse } from '#http/refusals'
import { readUploads, UPLOADS } from '#http/uploads'
import type { FieldFault } from '#platform/problem'
import { actorOf, appFactsOf } from './app-context.ts'
import { ImagesPage } from './images-page.tsx'

const IMAGES = `${APP_PATH}/listing/images/`
/** The smallest file of a removed image, which is public no longer. */
const REMOVED = `${IMAGES}removed/:id` as const
/** How many removed images are on a page. */
const REMOVED_ON_A_PAGE = 12

/** An app's icon and screenshots. */
export function declareImages(scope: FastifyInstance, world: World): void {
  scope.get(IMAGES, async (request, reply) =>
    show(world, await requireSellerTerms(world, request, reply)),
  )

  scope.post(`${IMAGES}remove-icon`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    await removeIcon(world, actorOf(context), context.app.id)
    return redirectTo(reply, `${addressOfImages(context)}?done=icon_removed`)
  })

  scope.post(`${IMAGES}screenshot`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { image_id, alt = '', do: pressed } = formOf(request)
    const id = requireId('img', image_id)
    const act = actOf(pressed, alt)
    const done = await changeScreenshot(world, actorOf(context), {
      app_id: context.app.id,
      id,
      act,
    })
    if (done === undefined) throw refuse('not_found')
    if (done !== 'changed') return await show(world, context, { at: id, alt, found: done.faults })
    const note = act === 'remove' ? 'removed' : typeof act === 'object' ? 'described' : 'moved'
    return redirectTo(reply, `${addressOfImages(context)}?done=${note}#screenshots`)
  })

  scope.post(`${IMAGES}restore`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const id = requireId('img', formOf(request).image_id)
    const restored = await restoreImage(world, actorOf(context), { app_id: app.id, id })
    if (!restored) throw refuse('not_found')
    if ('faults' in restored) {
      return await show(world, context, { at: id, alt: '', found: restored.faults })
    }
    return redirectTo(reply, `${addressOfImages(context)}?done=restored`)
  })

  scope.get(REMOVED, async (request, reply) => {
    const { app } = await requireSellerTerms(world, request, reply)
    const id = requireId('img', paramsOf(REMOVED, request).id)
    const image = await apps.findRestorable(world.db, world.clock.now(), { app_id: app.id, id })
    const content = image && (await world.storage.get(apps.fileOf(id, apps.widthsOf(image)[0]!)))
    if (!content) throw refuse('not_found')
    return sendPicture(reply, content, 'no-store')
  })

  scope.register(async (uploads) => {
    await readUploads(uploads, (request, reply) => requireSellerTerms(world, request, reply))
    declareUploads(uploads, world)
  })
}

/** The two forms with a file. */
function declareUploads(scope: FastifyInstance, world: World): void {
  const config = { limits: [UPLOADS] }
  scope.post(`${IMAGES}icon`, { config }, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    return await upload(world, context, { kind: 'icon', alt: '' })
  })

  scope.post(`${IMAGES}add`, { config }, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { alt = '' } = formOf(request)
    return await upload(world, context, { kind: 'screenshot', alt })
  })
}

async function upload(
  world: World,
  context: SellerTermsContext,
  { kind, alt }: { kind: apps.ImageKind; alt: string },
) {
  const { app, request, reply } = context
  const given = { app_id: app.id, kind, alt, content: uploadOf(request, 'file') }
  const saved = await uploadImage(world, actorOf(context), given)
  if ('faults' in saved) {
    const found = withFileAgain(saved.faults, kind)
    return await show(world, context, { at: kind, alt, found })
  }
  return redirectTo(reply, `${addressOfImages(context)}?done=${kind}`)
}

/** The faults with one for the file, which a browser does not keep when a form is shown again. */
function withFileAgain(faults: FieldFault[], path: apps.ImageKind): FieldFault[] {
  if (faults.some((fault) => fault.path === path)) return faults
  return [{ path, message: 'Choose the file again.' }, ...faults]
}

/** What was wrong with a form of the page, and what it contained. */
interface RefusedForm {
  /** The form: of an upload, or of a screenshot by its id. */
  at: string
  alt: string
  found: FieldFault[]
}

async function show(world: World, context: SellerTermsContext, refused?: RefusedForm) {
  const { app, request, reply } = context
  const shown = await apps.screenshotsOf(world.db, app.id)
  const page = ImagesPage({
    ...appFactsOf(world, context, NOTES),
    icon: apps.iconPath(app),
    screenshots: shown.map(({ id, kind, alt, width, height }) => ({
      id,
      alt: refused?.at === id ? refused.alt : alt,
      src: apps.pathOf(id, apps.widthsOf({ kind, width })[0]!),
      width,
      height,
    })),
    most: apps.MAX_SCREENSHOTS,
    removed: await readPanelByOffset(request, {
      id: 'removed',
      path: addressOfImages(context),
      size: REMOVED_ON_A_PAGE,
      read: (page) =>
        apps.restorableImages(world.db, world.clock.now(), { app_id: app.id, ...page }),
    }),
    new_alt: refused?.at === 'screenshot' ? refused.alt : '',
    faults: (refused?.found ?? []).map(({ path, message }) => ({
      id: `${path}-${refused?.at}`,
      message,
    })),
  })
  return sendPage(reply, page, { status: refused ? 422 : 200 })
}

function actOf(
  pressed: string | undefined,
  alt: string,
): 'up' | 'down' | 'remove' | { alt: string } {
  const [act] = (pressed ?? '').split(':')
  return act === 'up' || act === 'down' || act === 'remove' ? act : { alt }
}

function addressOfImages({ app }: SellerTermsContext): string {
  return `${addressOf(app.slug, 'listing')}images/`
}

const NOTES: Record<string, string> = {
  icon: 'Icon saved.',
  icon_removed: 'Icon removed. You can restore it below.',
  screenshot: 'Screenshot added.',
  described: 'Description saved.',
  moved: 'Screenshot moved.',
  removed: 'Screenshot removed. You can restore it below.',
  restored: 'Image restored.',
}
