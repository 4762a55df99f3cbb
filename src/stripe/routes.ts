import type { FastifyInstance } from 'fastify'
import { Stripe } from 'stripe'
import { receive } from '#domain/payments'
import { isLiveKey } from '#platform/config'
import { networksOf } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'
import type { StripeParts } from './client.ts'
import { parseEvent } from './parse-event.ts'

/** The path of the endpoint for Stripe's events. */
export const EVENTS_PATH = '/processor-events/stripe'
const TOLERANCE_SECONDS = 300
// Stripe's events are never larger.
const BODY_LIMIT = 512 * 1024
// Stripe resends refused events for days, so its own traffic stays below this.
const EVENTS: RouteLimit = {
  name: 'stripe-events',
  points: 6000,
  seconds: 60,
  key: (request) => networksOf(request.ip),
}

/** Registers the endpoint for Stripe's events. */
export function declareRoutes(app: FastifyInstance, parts: StripeParts): void {
  const { db, clock, log } = parts
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The signature covers the raw bytes.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    const config = { limits: [EVENTS] }
    scope.post(EVENTS_PATH, { bodyLimit: BODY_LIMIT, config }, async (request, reply) => {
      const event = await readEvent(parts, request.body, request.headers['stripe-signature'])
      if (!event) {
        log.warn({ request_id: request.id }, 'processor event refused: invalid signature')
        throw new Problem(400, 'invalid_signature', 'The signature of this event is invalid.')
      }
      const parsed = isOurs(parts, event) ? parseEvent(event) : undefined
      if (parsed) {
        const { id, type: kind } = event
        await receive(db, clock.now(), { id, processor: 'stripe', kind, payload: parsed })
      }
      return reply.send({ received: true })
    })
  })
}

/** The event in a body signed with one of our secrets within the last five minutes. */
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

/** Live Connect endpoints also receive events of test accounts. */
function isOurs({ settings }: StripeParts, event: Stripe.Event): boolean {
  return event.livemode === isLiveKey(settings.secret_key)
}
