import type { FastifyReply, FastifyRequest } from 'fastify'
import * as licensing from '#domain/licensing'
import { finishWalkthrough } from '#flows/preview'
import type { World } from '#flows/world'
import { redirectTo, sendPage } from '#http/pages'
import { currentSession } from '#http/session'
import { returnAddress } from './destination.ts'
import { NoCardPage, PreviewDonePage } from './preview-pages.tsx'
import { detailsUrl, type OwnCart } from './purchase.ts'

/** The card step of a preview: our own page, without the processor. */
export function sendNoCard(reply: FastifyReply, { cart, purchase }: OwnCart): FastifyReply {
  const confirm_url = `/checkout/${cart.id}/confirm`
  return sendPage(reply, NoCardPage({ purchase, confirm_url, details_url: detailsUrl(cart) }))
}

/** Finishes a preview. */
export async function finishPreview(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { cart }: OwnCart,
): Promise<FastifyReply> {
  const actor = { session: await currentSession(world, request), request_id: request.id }
  const { outcome } = await finishWalkthrough(world, actor, cart.id)
  if (outcome === 'gone') return redirectTo(reply, detailsUrl(cart))
  return redirectTo(
    reply,
    `/checkout/${cart.id}/${outcome === 'completed' ? 'success' : 'sign-in'}`,
  )
}

/** The success page of a preview, until the preview ends. */
export async function sendPreviewDone(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { cart, app, purchase }: OwnCart,
): Promise<FastifyReply> {
  const session = await currentSession(world, request)
  if (!session || cart.user_id !== session.user_id) {
    return redirectTo(reply, `/checkout/${cart.id}/sign-in`)
  }
  const holder = { app_id: app.id, user_id: session.user_id }
  const license = cart.completed_at && (await licensing.findPreview(world.db, holder))
  if (!license) return redirectTo(reply, detailsUrl(cart))
  const page = PreviewDonePage({
    purchase,
    license_key: licensing.showKey(world.keys, license),
    return_url: returnAddress(world, app, {
      next_url: cart.next_url,
      // A preview has no order; its reference is the license ID.
      order_id: license.license_id,
    }),
    integration_url: `/dashboard/apps/${app.slug}/integration/`,
  })
  return sendPage(reply, page)
}
