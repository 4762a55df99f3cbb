/**
 * Complete checkouts: details, card, confirmation and success page. Prints one line of JSON. Each
 * buyer has their own address and keeps one connection.
 */
import { measure } from './generator.ts'
import { Visitor } from './visitor.ts'

const base = new URL(process.env.BASE_URL!)
const price_id = process.env.PRICE_ID!
const BUYERS_AT_ONCE = 16
const CARD = { number: '4242424242424242', expiry: '12/40', cvc: '123', zip: '78701' }

async function buy(): Promise<void> {
  const buyer = new Visitor(base)
  const email = `${Math.random().toString(36).slice(2)}@bench.example`
  const details = await buyer.open('GET', `/buy/${price_id}/`)
  const card = await buyer.send(details, { email, country: 'US', zip: '78701' })
  const confirm = await buyer.send(card, CARD)
  const success = await buyer.send(confirm, {})
  if (!success.body.includes('key_')) throw new Error(`no key on ${success.url}`)
  buyer.leave()
}

await measure(BUYERS_AT_ONCE, Number(process.env.SECONDS), buy)
