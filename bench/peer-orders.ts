/** Orders on Vendure or Medusa, from the cart to the payment. Prints one line of JSON. */
import { readFileSync } from 'node:fs'
import { Agent, type OutgoingHttpHeaders } from 'node:http'
import { measure, sendRequest } from './generator.ts'

const base = new URL(process.env.TARGET!)
const BUYERS_AT_ONCE = 16

type Post = (
  path: string,
  body: object,
  headers?: OutgoingHttpHeaders,
) => ReturnType<typeof sendRequest>

/** One mutation of Vendure's shop API for each step. */
const MUTATIONS = [
  'addItemToOrder(productVariantId: 1, quantity: 1)',
  'setCustomerForOrder(input: { firstName: "A", lastName: "Buyer", emailAddress: "EMAIL" })',
  `setOrderShippingAddress(input: { streetLine1: "1 Main St", city: "Austin",
    postalCode: "78701", countryCode: "US" })`,
  'setOrderShippingMethod(shippingMethodId: [1])',
  'transitionOrderToState(state: "ArrangingPayment")',
  'addPaymentToOrder(input: { method: "card", metadata: {} })',
]

async function atVendure(post: Post, email: string): Promise<void> {
  let token = ''
  let body = ''
  for (const step of MUTATIONS) {
    const query = `mutation { ${step.replace('EMAIL', email)} {
      __typename ... on Order { code state totalWithTax }
      ... on ErrorResult { errorCode message } } }`
    const answer = await post('/shop-api', { query }, token ? { authorization: token } : {})
    token ||= `Bearer ${answer.headers['vendure-auth-token']}`
    body = answer.body
    if (!body.includes('"Order"')) throw new Error(`${step}: ${body}`)
  }
  if (!body.includes('"PaymentSettled"')) throw new Error(`the order is not paid: ${body}`)
}

const ADDRESS = {
  first_name: 'A',
  last_name: 'Buyer',
  address_1: '1 Main St',
  city: 'Austin',
  postal_code: '78701',
  country_code: 'us',
}

async function atMedusa(post: Post, email: string): Promise<void> {
  const { key, region_id, option_id, variant_id } = JSON.parse(
    readFileSync(process.env.SHOP!, 'utf8'),
  )
  const send = async (path: string, body: object) => {
    const answer = await post(`/store/${path}`, body, { 'x-publishable-api-key': key })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    return JSON.parse(answer.body)
  }
  const items = [{ variant_id, quantity: 1 }]
  const { cart } = await send('carts', { region_id, email, items, shipping_address: ADDRESS })
  await send(`carts/${cart.id}/shipping-methods`, { option_id })
  const { payment_collection } = await send('payment-collections', { cart_id: cart.id })
  const provider_id = 'pp_system_default'
  await send(`payment-collections/${payment_collection.id}/payment-sessions`, { provider_id })
  const { type } = await send(`carts/${cart.id}/complete`, {})
  if (type !== 'order') throw new Error(`the cart is not an order: ${type}`)
}

const order = process.env.PEER === 'medusa' ? atMedusa : atVendure
await measure(BUYERS_AT_ONCE, Number(process.env.SECONDS), async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post: Post = (path, body, headers = {}) =>
    sendRequest(agent, new URL(path, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  await order(post, `${Math.random().toString(36).slice(2)}@bench.example`)
  agent.destroy()
})
