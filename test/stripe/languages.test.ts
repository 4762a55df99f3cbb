import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openStripeWorld, type StripeWorld } from './world.ts'

const PAGE = {
  app_name: 'Harbor',
  product_name: 'Harbor Pro',
  email: 'buyer@example.com',
  summary: [],
  zip: '94107',
  return_url: 'https://purser.example/checkout/cart_1/confirm',
  back_url: 'https://purser.example/checkout/cart_1/details',
}

describe("Stripe's pages", () => {
  let world: StripeWorld
  before(async () => {
    world = await openStripeWorld()
  })
  after(() => world.close())

  const languages: [language: string | undefined, locale: string][] = [
    ['es', 'es'],
    ['en', 'en'],
    ['en-XA', 'auto'],
    [undefined, 'auto'],
  ]
  for (const [language, locale] of languages) {
    test(`for a buyer in ${language ?? 'no known language'} are in ${locale}`, async () => {
      const { clock, processor, double } = world
      const request = language === undefined ? PAGE : { ...PAGE, language }
      const { id } = await processor.openCardEntry(clock.now(), request)
      assert.equal(double.state.find(id, 'checkout.session').locale, locale)
      double.enterCard(id, '4242424242424242')
      const { token: card_token } = (await processor.readCardEntry(id))!
      const { email, app_name, return_url } = request
      const portal = { app_name, email, return_url, card_token, ...(language && { language }) }
      const opened = await processor.openPortal(clock.now(), portal)
      assert.equal(double.state.find(opened.id, 'billing_portal.session').locale, locale)
    })
  }
})
