import type { FastifyRequest } from 'fastify'
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { renderPage } from '#design/layout'
import { markOf, pageHeaders } from '#http/pages'
import { languageHeaders, localeOf } from '#platform/language/request'
import { isAgent } from './agents.ts'
import { RefusedPage, StalePage } from './consent-pages.tsx'

/** The error page for a request that cannot be redirected back to the app. */
export function renderRefusal(
  ctx: KoaContextWithOIDC,
  request: FastifyRequest,
  out: ErrorOut,
  error: Error,
): void {
  const { client } = ctx.oidc
  const app_name = client?.app_name as string | undefined
  const app_url = (client?.app_url as string | null | undefined) ?? undefined
  const locale = localeOf(request)
  const page =
    error instanceof errors.SessionNotFound
      ? StalePage({ locale, app_name, start_url: app_url })
      : RefusedPage({
          locale,
          app_name,
          app_url,
          is_ours: ctx.status >= 500,
          agents_url: isAgent(client) ? '/docs/agents' : undefined,
          code: out.error,
          message: out.error_description,
          request_id: request.id,
        })
  ctx.set({ ...pageHeaders(), ...languageHeaders(request) })
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = renderPage(page, markOf(request.server))
}
