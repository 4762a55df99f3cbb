import type { FastifyInstance } from 'fastify'
import { Stripe } from 'stripe'
import { receive } from '#domain/payments'
import { isLiveKey } from '#platform/config'
import { networksOf } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'
import type { StripeParts } from './client.ts'
import { parseEvent } from './parse-event.ts'

const PATH = '/processor-events/stripe'
const TOLERANCE_SECONDS = 300
// Stripe sends no event that is larger.
const BODY_LIMIT = 512 * 1024
// Stripe resends what was refused, for days; a flood is not from Stripe.
const TELLINGS: RouteLimit = {
  name: 'stripe-events',
  points: 6000,
  seconds: 60,
  key: (request) => networksOf(request.ip),
}

/** Declares the address to which Stripe sends events. */
export function declareRoutes(app: FastifyInstance, parts: StripeParts): void {
  const { db, clock, log } = parts
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The signature is of the bytes as they came.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    const config = { limits: [TELLINGS] }
    scope.post(PATH, { bodyLimit: BODY_LIMIT, config }, async (request, reply) => {
      const event = await readEvent(parts, request.body, request.headers['stripe-signature'])
      if (!event) {
        log.warn({ request_id: request.id }, 'an event with no good signature of Stripe’s')
        throw new Problem(400, 'invalid_signature', 'This event carries no good signature.')
      }
      const telling = isOurs(parts, event) ? parseEvent(event) : undefined
      if (telling) {
        const { id, type: kind } = event
        await receive(db, clock.now(), { id, processor: 'stripe', kind, payload: telling })
      }
      return reply.send({ received: true })
    })
  })
}

/** The event of a body that one of our secrets signed within the last five minutes. */
async function readEvent(
  { stripe, settings, clock }: StripeParts,
  body: unknown,
  signature: string | string[] | undefined,
): Promise<Stripe.Event | undefined> {
  if (!Buffer.isBuffer(body) || typeof signature !== 'string') return undefined
  const now = clock.now().getTime()
  for (const secret of settings.webhook_secrets) {
    try {
      return await stripe.webhooks.constructEventAsync(
        body,
        signature,
        secret,
        TOLERANCE_SECONDS,
        undefined,
        now,
      )
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
    }
  }
  return undefined
}

/** Live endpoints of Connect receive events of test accounts too. */
function isOurs({ settings }: StripeParts, event: Stripe.Event): boolean {
  return event.livemode === isLiveKey(settings.secret_key)
}
