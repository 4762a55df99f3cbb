import type { FastifyRequest } from 'fastify'
import * as affiliates from '#domain/affiliates'
import type * as apps from '#domain/apps'
import type * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as identity from '#domain/identity'
import { readDiscount } from '#flows/checkout'
import type { World } from '#flows/world'
import { buyUrl, readNext } from '#http/buy-link'
import type { FormFault } from '#http/form-errors'
import { queryOf } from '#http/input'
import { recordFrom } from '#platform/record'

const FIELDS = ['price', 'next', 'email', 'ref', 'discount'] as const

/** The form of a buy link; its fields are the link's own parameters. */
export type BuyLinkForm = Record<(typeof FIELDS)[number], string>

/**
 * A form with the resulting link; the link is undefined if the form has a fault or was not
 * submitted.
 */
export interface BuiltLink {
  form: BuyLinkForm
  url: string | undefined
  faults: FormFault[]
}

/** Builds the buy link that an address asks for (spec: Hosted checkout and management links). */
export async function buildBuyLink(
  world: World,
  request: FastifyRequest,
  { app, prices }: { app: apps.App; prices: catalog.ProductPrice[] },
): Promise<BuiltLink> {
  const form = recordFrom(FIELDS, (name) => (queryOf(request, name) ?? '').trim())
  const price = prices.find(({ id }) => id === form.price)
  if (form.price === '') return { form, url: undefined, faults: [] }
  if (!price) return { form, url: undefined, faults: [fault('price', 'Choose a plan.')] }
  const { price: _, ...parameters } = form
  const url = buyUrl(world.config.base_url, price.id, parameters)
  const faults = await faultsOf(world, { app, price, query: new URL(url).searchParams })
  return { form, url: faults.length === 0 ? url : undefined, faults }
}

/** The parameters of a link that checkout would refuse or ignore. */
async function faultsOf(
  world: World,
  link: { app: apps.App; price: catalog.ProductPrice; query: URLSearchParams },
): Promise<FormFault[]> {
  const { db } = world
  const { app, price, query } = link
  const [email, ref, code] = ['email', 'ref', 'discount'].map((name) => query.get(name))
  const faults: FormFault[] = []
  if (!readNext(app, query.get('next') ?? undefined).is_valid) {
    faults.push(fault('next', `Enter an HTTPS URL on ${new URL(app.url).hostname}.`))
  }
  if (email && !identity.readEmail(email)) {
    faults.push(fault('email', 'Enter an email address such as name@example.com.'))
  }
  if (ref && !(await affiliates.findByCode(db, ref))) {
    faults.push(fault('ref', 'No affiliate has this code.'))
  }
  const wanted = { app, price, code, email_normalized: null, cart_id: null }
  const { refusal } = await readDiscount(world, db, wanted)
  if (refusal) faults.push(fault('discount', discounts.discountSentence(refusal)))
  return faults
}

function fault(field: keyof BuyLinkForm, message: string): FormFault {
  return { id: `link-${field}`, message }
}
