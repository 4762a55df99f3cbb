import type { FastifyRequest } from 'fastify'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { renderPage } from '#design/layout'
import { pageHeaders } from '#surfaces/pages'
import { RefusedPage } from './pages.tsx'

/** What a person sees where the library cannot send them back to the app. */
export function renderRefusal(
  ctx: KoaContextWithOIDC,
  request: FastifyRequest,
  { error, error_description }: ErrorOut,
): void {
  const { client } = ctx.oidc
  const page = RefusedPage({
    app_name: client?.app_name as string | undefined,
    app_url: (client?.app_url as string | null | undefined) ?? undefined,
    is_ours: ctx.status >= 500,
    code: error,
    words: error_description,
    request_id: request.id,
  })
  ctx.set(pageHeaders())
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = renderPage(page)
}
