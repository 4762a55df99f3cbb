import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { latestOutcome } from '#flows/payment'
import { nextCharge, type Paid, type PlanChanged, payOwed } from '#flows/subscription'
import type { World } from '#flows/world'
import { countDecline, requireFewDeclines } from '#http/decline-limits'
import { MANAGE_PATH } from '#http/guards/license'
import { formOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import type { Limit } from '#platform/limits'
import { ZERO } from '#platform/money'
import { WaitingPage } from './end-pages.tsx'
import { layoutFacts, type ManageContext, requireManagedLicense } from './license-context.ts'
import type { LicenseDone } from './notes.ts'

const PAYMENTS: Limit = { name: 'manage-payments', points: 30, seconds: 3600 }

/** Paying what is due, and waiting for a bank's answer. */
export function declarePaying(scope: FastifyInstance, world: World): void {
  scope.post(`${MANAGE_PATH}/pay`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, at } = context
    const { license_id } = license
    const next = await nextCharge(world, license_id)
    // The total that the button showed. A tax service computes the exact tax when it is charged.
    if (!next || formOf(request).total !== String(next.total)) {
      return redirectTo(reply, at('', { done: 'changed' }))
    }
    return await charge(world, context, {
      done: next.charged === ZERO ? 'resumed' : 'paid',
      run: () =>
        payOwed(world, {
          license_id,
          requested_by: 'buyer',
          return_url: resumeUrl(world, context),
          // A plan change may be canceled, or its plan removed, before the license is locked.
          amount: next.amount,
        }),
    })
  })

  scope.get(`${MANAGE_PATH}/resume`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    return redirectTo(reply, await resume(world, context))
  })

  scope.get(`${MANAGE_PATH}/waiting`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { app, license, session, at } = context
    const url = await resume(world, context)
    if (url !== at('waiting')) return redirectTo(reply, url)
    const { notice, locale } = layoutFacts(world, context)
    const attempt = (await payments.latestOfLicense(world.db, license.license_id))!
    const page = WaitingPage({
      ...apps.brandOf(app),
      locale,
      notice,
      url,
      email: session.email,
      is_slow: payments.isSlow(world.clock.now(), attempt),
      manage_url: at(),
    })
    return sendPage(reply, page, { status: 202 })
  })
}

/** The address to which the bank's challenge returns. */
export function resumeUrl({ config }: World, { at }: ManageContext): string {
  return `${config.base_url}${at('resume')}`
}

/** The path and messages after a charge. */
interface NextPaths {
  /** The page on which to try again. */
  failed?: string
  /** The message if it was paid, or nothing was due. */
  done?: LicenseDone
  otherwise?: LicenseDone
}

/** Charges a buyer on their request, and redirects by the outcome. */
export async function charge(
  world: World,
  context: ManageContext,
  facts: NextPaths & { run: () => Promise<PlanChanged | Paid> },
): Promise<FastifyReply> {
  const { request, reply, session } = context
  const { email_normalized } = session
  await limitPage(world, PAYMENTS, session.user_id, reply)
  await requireFewDeclines(world, request, email_normalized)
  const result = await facts.run()
  if (result.outcome === 'declined') {
    await countDecline(world, request, email_normalized)
  }
  return redirectTo(reply, addressAfter(context, result, facts))
}

/** The outcome of the latest attempt, for a buyer who returns from the bank or waits. */
async function resume(world: World, context: ManageContext): Promise<string> {
  const { license, at } = context
  const attempt = await payments.latestOfLicense(world.db, license.license_id)
  if (!attempt) return at()
  const { kind, price_id } = await billing.getInvoice(world.db, attempt.invoice_id)
  const result = await latestOutcome(world, attempt.invoice_id)
  if (kind !== 'upgrade') return addressAfter(context, result, {})
  return addressAfter(context, result, { failed: `plan/${price_id}/`, done: 'plan_changed' })
}

function addressAfter(
  { at }: ManageContext,
  result: PlanChanged | Paid,
  { failed = '', done = 'paid', otherwise }: NextPaths,
): string {
  switch (result.outcome) {
    case 'paid':
      return at('', { done })
    case 'plan_changed':
    case 'scheduled':
      return at('', { done: result.outcome })
    case 'nothing_owed':
      return at('', otherwise === undefined ? {} : { done: otherwise })
    case 'action_required':
      return result.action_url
    case 'processing':
      return at('waiting')
    case 'declined':
    case 'not_charged':
    case 'changed':
      return at(failed, { done: result.outcome })
  }
}
