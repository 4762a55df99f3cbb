import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JSX } from 'preact'
import { logBug, problemOf } from '#platform/http'
import type { Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { networksWith } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'
import { contentPolicy, PAGE_HEADERS } from '#platform/security-headers'
import { durationText } from '#platform/text'
import * as entries from './card-entries.ts'
import { readCardForm } from './card-form.ts'
import { CardEntryPage, type CardFormFacts, ChallengePage, MessagePage } from './card-pages.tsx'
import * as charges from './charges.ts'
import {
  notFound,
  type SandboxPageOptions,
  type SandboxPageRequest,
  send,
} from './page-responses.ts'
import { declareAccounts, declarePortals } from './portal-and-account-routes.ts'
import { endChallenge } from './processor.ts'
import { storedCardOf } from './stored-cards.ts'

const OWN = ["'self'"]
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': contentPolicy({
    'style-src': OWN,
    'script-src': OWN,
    'img-src': [...OWN, 'data:'],
    'font-src': OWN,
    'form-action': OWN,
  }),
}

const FORMS: RouteLimit = {
  name: 'sandbox-forms',
  points: 120,
  seconds: 60,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

/** Registers the sandbox's pages. */
export function declareRoutes(app: FastifyInstance, options: SandboxPageOptions): void {
  app.register(
    async (scope) => {
      scope.decorate('form_limits', [FORMS])
      scope.removeAllContentTypeParsers()
      scope.register(formbody)
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(HEADERS)
        refuseForeignForms(request, options.base_url)
      })
      scope.setNotFoundHandler(() => {
        throw notFound()
      })
      scope.setErrorHandler(answerError)
      declareCardEntries(scope, options)
      declareChallenges(scope, options)
      declarePortals(scope, options)
      declareAccounts(scope, options)
    },
    { prefix: '/sandbox' },
  )
}

function declareCardEntries(
  scope: FastifyInstance,
  { db, clock, ...options }: SandboxPageOptions,
): void {
  const url = '/card-entries/:id(^ce_\\w{22}$)'

  scope.get(url, async (request: SandboxPageRequest, reply) => {
    const { params } = request
    const entry = await entries.find(db, params.id)
    if (!entry) throw notFound()
    if (entry.card_token) return sendUsed(reply, entry)
    return sendEntry(reply, entry, { values: { expiry: '', zip: entry.zip } })
  })

  scope.post(url, async (request: SandboxPageRequest, reply) => {
    const { params, body } = request
    const locale = localeOf(request)
    const entry = await entries.find(db, params.id)
    if (!entry) throw notFound()
    if (entry.card_token) return sendUsed(reply, entry)
    const now = clock.now()
    const form = readCardForm(body, now, locale)
    if ('faults' in form) return sendEntry(reply.code(400), entry, form)
    const card = storedCardOf(options, form.read)
    const used = await entries.use(db, now, entry, card)
    return used ? reply.redirect(entry.return_url, 303) : sendUsed(reply, entry)
  })
}

/**
 * Sends a card page. It shows the order in the language in which it was opened, so the choice of
 * another one leads to the checkout, which opens a page in that language.
 */
function sendEntry(
  reply: FastifyReply,
  entry: entries.CardEntry,
  form: Omit<CardFormFacts, 'locale'>,
): FastifyReply {
  const { pathname } = new URL(entry.return_url)
  return send(reply, CardEntryPage({ locale: localeOf(reply.request), entry, ...form }), pathname)
}

function declareChallenges(scope: FastifyInstance, { db }: SandboxPageOptions): void {
  const url = '/challenges/:id(^chl_\\w{22}$)'

  scope.get(url, async (request: SandboxPageRequest, reply) => {
    const challenge = await charges.findChallenge(db, request.params.id)
    if (!challenge) throw notFound()
    if (challenge.status !== 'action_required') return reply.redirect(challenge.return_url, 303)
    return send(reply, ChallengePage({ challenge, locale: localeOf(request) }))
  })

  scope.post(url, async ({ params, body }: SandboxPageRequest, reply) => {
    const challenge = await charges.findChallenge(db, params.id)
    if (!challenge) throw notFound()
    const { result } = Object(body)
    if (result !== 'complete' && result !== 'fail') {
      throw new Problem(400, 'invalid_request', 'The form could not be read.')
    }
    await endChallenge(db, params.id, result === 'complete')
    return reply.redirect(challenge.return_url, 303)
  })
}

/** Refuses forms that another site posts; browsers name the origin. */
function refuseForeignForms({ method, headers }: FastifyRequest, base_url: string): void {
  if (method !== 'POST' || headers.origin === undefined) return
  const from = URL.canParse(headers.origin) ? new URL(headers.origin).host : ''
  if (from !== '' && (from === headers.host || from === new URL(base_url).host)) return
  throw new Problem(403, 'foreign_form', 'The form was sent from another site.')
}

function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error)
  logBug(request, error, problem)
  const { retry_after } = problem.details
  if (retry_after !== undefined) reply.header('retry-after', String(retry_after))
  return send(reply.code(problem.status), messageOf(problem, localeOf(request)))
}

function messageOf({ status, details }: Problem, locale: Locale): JSX.Element {
  const { t } = locale
  if (status === 404) {
    const text = t('sandbox.not_found_text')
    return MessagePage({ locale, title: t('error.title_not_found'), children: text })
  }
  if (status === 429) {
    const wait = durationText(details.retry_after ?? 1, locale)
    const title = t('error.title_rate_limited')
    return MessagePage({ locale, title, children: t('error.rate_limited', { wait }) })
  }
  if (status < 500) {
    const text = t('sandbox.unreadable_text')
    return MessagePage({ locale, title: t('sandbox.unreadable'), children: text })
  }
  const text = t('sandbox.broken_text')
  return MessagePage({ locale, title: t('sandbox.broken'), children: text })
}

function sendUsed(reply: FastifyReply, entry: entries.CardEntry): FastifyReply {
  const locale = localeOf(reply.request)
  const { t } = locale
  const next = { label: t('sandbox.go_on'), href: entry.return_url }
  const children = t('sandbox.used_text')
  return send(reply.code(404), MessagePage({ locale, title: t('sandbox.used'), children, next }))
}
