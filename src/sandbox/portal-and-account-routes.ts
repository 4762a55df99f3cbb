import type { FastifyInstance } from 'fastify'
import { localeOf } from '#platform/language/request'
import { AccountPage } from './account-page.tsx'
import * as accounts from './accounts.ts'
import { readBankForm } from './bank-form.ts'
import { type RefilledValues, readCardForm } from './card-form.ts'
import {
  notFound,
  type SandboxPageOptions,
  type SandboxPageRequest,
  send,
} from './page-responses.ts'
import { PortalPage } from './portal-page.tsx'
import * as portals from './portals.ts'
import { storedCardOf } from './stored-cards.ts'

/** Registers the billing portal: card on file, payments, and replacing the card. */
export function declarePortals(scope: FastifyInstance, options: SandboxPageOptions): void {
  const { db, clock } = options
  const url = '/portals/:id(^ptl_\\w{22}$)'

  async function facts(id: string) {
    const portal = await portals.find(db, id)
    if (!portal) throw notFound()
    return { portal, payments: await portals.paymentsOf(db, id) }
  }

  scope.get(url, async (request: SandboxPageRequest, reply) => {
    const page = await facts(request.params.id)
    const values: RefilledValues = { expiry: '', zip: page.portal.card.billing_zip }
    return send(reply, PortalPage({ ...page, locale: localeOf(request), values }))
  })

  scope.post(url, async (request: SandboxPageRequest, reply) => {
    const page = await facts(request.params.id)
    const locale = localeOf(request)
    const now = clock.now()
    const form = readCardForm(request.body, now, locale)
    if ('faults' in form) return send(reply.code(400), PortalPage({ ...page, locale, ...form }))
    const card = storedCardOf(options, form.read)
    await portals.change(db, now, page.portal, card)
    return reply.redirect(page.portal.return_url, 303)
  })
}

/** Registers the onboarding page, on which a payee enters a bank account. */
export function declareAccounts(scope: FastifyInstance, options: SandboxPageOptions): void {
  const { db, random, clock } = options
  const url = '/accounts/:id(^obd_\\w{22}$)'

  async function find(id: string): Promise<accounts.Onboarding> {
    const onboarding = await accounts.findOnboarding(db, id)
    if (!onboarding) throw notFound()
    return onboarding
  }

  scope.get(url, async ({ params }: SandboxPageRequest, reply) => {
    return send(reply, AccountPage({ onboarding: await find(params.id), routing_number: '' }))
  })

  scope.post(url, async ({ params, body }: SandboxPageRequest, reply) => {
    const onboarding = await find(params.id)
    const form = readBankForm(body)
    if ('faults' in form) return send(reply.code(400), AccountPage({ onboarding, ...form }))
    const now = clock.now()
    await db.tx((tx) => accounts.setBank(tx, random, now, onboarding.id, form.bank))
    return reply.redirect(onboarding.return_url, 303)
  })
}
