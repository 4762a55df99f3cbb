/** Orders at Vendure by its shop API, from the cart to the payment. Prints one line of JSON. */
import { Agent } from 'node:http'
import { ask, measure } from './generator.ts'

const url = new URL('/shop-api', process.env.TARGET!)
const BUYERS_AT_ONCE = 16
const ERROR = '... on ErrorResult { errorCode message }'

/** One mutation with the fields that the next one needs. */
const STEPS = [
  'addItemToOrder(productVariantId: 1, quantity: 1)',
  'setCustomerForOrder(input: { firstName: "A", lastName: "Buyer", emailAddress: "EMAIL" })',
  `setOrderShippingAddress(input: { streetLine1: "1 Main St", city: "Austin",
    postalCode: "78701", countryCode: "US" })`,
  'setOrderShippingMethod(shippingMethodId: [1])',
  'transitionOrderToState(state: "ArrangingPayment")',
  'addPaymentToOrder(input: { method: "card", metadata: {} })',
]

async function order(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const email = `${Math.random().toString(36).slice(2)}@bench.example`
  let token = ''
  let body = ''
  for (const step of STEPS) {
    const mutation = `mutation { ${step.replace('EMAIL', email)} {
      __typename ... on Order { code state totalWithTax } ${ERROR} } }`
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    }
    const query = JSON.stringify({ query: mutation })
    const answer = await ask(agent, url, { method: 'POST', headers, body: query })
    token ||= String(answer.headers['vendure-auth-token'])
    body = answer.body
    if (!body.includes('"Order"')) throw new Error(`${step}: ${body}`)
  }
  if (!body.includes('"PaymentSettled"')) throw new Error(`the order is not paid: ${body}`)
  agent.destroy()
}

await measure(BUYERS_AT_ONCE, Number(process.env.SECONDS), order)
