import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locale } from '#platform/language/locale'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { readPdf } from '../support/pdf.ts'
import { plainWords } from '../support/plain-words.ts'
import { PSEUDO, withPseudoLocale } from '../support/pseudo-locale.ts'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { passDays } from '../support/subscriber.ts'

let service: TestService
let buy_url: string
before(async () => {
  service = await openTestService({ languages: withPseudoLocale() })
  await service.world.jobs.start()
  buy_url = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => assertInvariantsAndClose(service))

async function get(url: string, headers: Record<string, string>) {
  return await service.app.inject({ url, headers: { accept: 'text/html', ...headers } })
}

const LANGUAGE = '__Host-language'
const localeOf = (tag: string): Locale => service.world.languages.named(tag)
const escaped = (text: string) => text.replaceAll(/[[\]$()?.*+^|\\]/g, '\\$&')

/** Buys the cast's monthly plan with pages in a language. */
async function buyIn(language: string, email: string, card: string = CARD.good): Promise<Agent> {
  const { t } = localeOf(language)
  const agent = buyer(service)
  agent.cookies.set(LANGUAGE, language)
  await agent.open(buy_url)
  await agent.submit(t('checkout.continue'), { email, ...TEXAS })
  const expiry = { number: card, expiry: '12/30', cvc: '123' }
  await agent.submit(t('sandbox.continue'), expiry)
  const [verb] = t('checkout.pay', { amount: '$' }).split('$')
  await agent.submit(new RegExp(`^${escaped(verb!)}`))
  return agent
}

async function pdfsOf(agent: Agent, email: string, language = 'es'): Promise<string[]> {
  const invoices = await service.world.db.rows<{ id: string }>(sql`select i.id from invoices i
    join users u on u.id = i.user_id where u.email_normalized = ${email} and i.status = 'paid'
    order by i.number`)
  const { client_id } = service.demo.app
  const texts = []
  for (const { id } of invoices) {
    const url = `/manage/${client_id}/invoices/${id}.pdf`
    const answer = await get(url, { cookie: agent.cookie })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-language'], language)
    texts.push((await readPdf(answer.rawPayload)).text)
  }
  return texts
}

describe('a page', () => {
  test('is in the language that the browser prefers, and says so', async () => {
    const answer = await get(buy_url, { 'accept-language': 'es-MX,es;q=0.9,en;q=0.5' })
    assert.match(answer.body, /<html lang="es">/)
    assert.match(textOf(answer.body), /Sus datos/)
    assert.equal(answer.headers['content-language'], 'es')
    assert.match(String(answer.headers.vary), /accept-language, cookie/)
    assert.equal(answer.headers['cache-control'], 'no-store')
  })

  test('is in English for a browser that names no language of the service', async () => {
    const others: Record<string, string>[] = [{}, { 'accept-language': 'fr' }]
    for (const headers of others) {
      const answer = await get(buy_url, headers)
      assert.match(answer.body, /<html lang="en">/)
      assert.equal(answer.headers['content-language'], 'en')
      assert.match(textOf(answer.body), /Your details/)
    }
  })

  test('is in the chosen language, whatever the browser prefers', async () => {
    const headers = { 'accept-language': 'es', cookie: `${LANGUAGE}=en` }
    assert.match((await get('/signin/', headers)).body, /<html lang="en">/)
    const unknown = { 'accept-language': 'es', cookie: `${LANGUAGE}=../en` }
    assert.match((await get('/signin/', unknown)).body, /<html lang="es">/)
  })

  test('of an error is in the language of the browser', async () => {
    const missing = await get('/buy/prc_nothing/', { 'accept-language': 'es' })
    assert.equal(missing.statusCode, 404)
    assert.match(textOf(missing.body), /Este plan no está a la venta/)
    const misconfigured = await get(`${buy_url}?next=https://elsewhere.example/`, {
      'accept-language': 'es',
    })
    assert.equal(misconfigured.statusCode, 400)
    assert.match(textOf(misconfigured.body), /Este enlace está mal configurado/)
  })

  test('of too many requests names the wait in the language of the browser', async () => {
    const address = '10.9.9.9'
    await service.world.limits.consume(
      { name: 'checkout-open', points: 120, seconds: 60 },
      address,
      120,
    )
    const answer = await service.app.inject({
      method: 'POST',
      url: buy_url,
      remoteAddress: address,
      headers: { accept: 'text/html', 'accept-language': 'es' },
    })
    assert.equal(answer.statusCode, 429)
    const seconds = answer.headers['retry-after']
    const wait = new RegExp(`Demasiadas solicitudes Inténtelo de nuevo en ${seconds} segundos?\\.`)
    assert.match(textOf(answer.body), wait)
  })

  test('for sellers and of the service itself stays English', async () => {
    for (const url of ['/', '/apps/tidepool/', '/docs/', '/terms/']) {
      const answer = await get(url, { 'accept-language': 'es', cookie: `${LANGUAGE}=es` })
      assert.match(answer.body, /<html lang="en"/, url)
      assert.equal(answer.headers['content-language'], undefined, url)
      assert.doesNotMatch(answer.body, /action="\/language\/"/, url)
    }
  })

  test('of the API does not depend on the language', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: { 'accept-language': 'es', cookie: `${LANGUAGE}=es` },
      payload: { key: 'key_unknown' },
    })
    assert.equal(answer.statusCode, 401)
    const { message } = answer.json()
    assert.equal(message, 'The client ID or the client secret is missing or incorrect.')
    assert.equal(answer.headers['content-language'], undefined)
  })
})

describe('the choice of a language', () => {
  test('is remembered, and returns to the page without leaving the service', async () => {
    const agent = buyer(service)
    await agent.open('/signin/')
    await agent.submit('Español', { return_to: '/signin/?return_to=%2Faccount%2F' })
    assert.equal(agent.page.url, '/signin/?return_to=%2Faccount%2F')
    assert.match(agent.page.body, /<html lang="es">/)
    for (const return_to of ['https://elsewhere.example/', '//elsewhere.example/', '']) {
      await agent.open('/signin/')
      await agent.submit('English', { return_to })
      assert.equal(agent.page.url, '/')
      agent.cookies.set(LANGUAGE, 'es')
    }
  })

  test('is on the card page of the sandbox, also after an error, and opens it in that language', async () => {
    const agent = buyer(service)
    await agent.open(buy_url)
    await agent.submit('Continue', { email: 'clara@example.com', ...TEXAS })
    assert.match(agent.page.url, /\/sandbox\/card-entries\//)
    await agent.submit('Continue', { number: '4242', expiry: '', cvc: '' })
    assert.equal(agent.page.status, 400)
    await agent.submit('Español')
    assert.match(agent.page.url, /\/sandbox\/card-entries\//)
    assert.match(agent.text, /Total.*impuesto|impuesto.*Total/i)
    assert.match(agent.text, /Ingrese su tarjeta/)
    await agent.submit('English')
    assert.match(agent.text, /Enter your card/)
  })

  test('keeps the card page of another tab valid, which is read once', async () => {
    const agent = buyer(service)
    await agent.open(buy_url)
    const { url } = await agent.submit('Continue', { email: 'diego@example.com', ...TEXAS })
    const other = agent.tab()
    await agent.submit('Español')
    assert.match(agent.text, /Ingrese su tarjeta/)
    assert.notEqual(agent.page.url, url)
    assert.match(textOf((await enterCard(other, CARD.mastercard)).body), /Mastercard.* 4444/)
    // The page in Spanish is no longer needed: the purchase has a card.
    const again = { number: CARD.good, expiry: '12/30', cvc: '123' }
    assert.match(textOf((await agent.submit('Continuar', again)).body), /Mastercard.* 4444/)
    assert.match(textOf((await agent.submit(/^Pagar/)).body), /Tidepool Pro es suyo/)
  })

  test('is on a page with an error, unless the error is in English only', async () => {
    const agent = buyer(service)
    for (const url of ['/nothing/', '/buy/prc_nothing/']) {
      await agent.open(url)
      assert.equal(agent.page.status, 404)
      assert.match(agent.page.body, /action="\/language\/"/, url)
    }
    await agent.open(buy_url)
    const address = agent.page.url
    await agent.submit('Continue', { email: 'clara', ...TEXAS })
    assert.equal(agent.page.status, 422)
    await agent.submit('Español', { return_to: address })
    assert.match(agent.text, /Sus datos/)
    // An error with an English text only has no choice, which would change nothing.
    await agent.open('/claim/none')
    assert.equal(agent.page.status, 404)
    assert.match(agent.page.body, /<html lang="en"/)
    assert.doesNotMatch(agent.page.body, /action="\/language\/"/)
  })

  test('is not on the error page of a form that may be of another site', async () => {
    const stale = await service.app.inject({
      method: 'POST',
      url: '/signin/',
      headers: { accept: 'text/html', 'accept-language': 'es' },
    })
    assert.equal(stale.statusCode, 403)
    assert.match(stale.body, /<html lang="es"/)
    assert.match(textOf(stale.body), /Solicitud rechazada Este formulario ya no es válido\./)
    assert.doesNotMatch(stale.body, /action="\/language\/"/)
    // The form of another site arrives without the browser's cookies.
    assert.equal(stale.headers['set-cookie'], undefined)
  })

  test('is that of a page about a request that could not be read', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'es' }
    const post = async (type: string, payload: string) => {
      const of_type = { ...headers, 'content-type': type }
      return await service.app.inject({
        method: 'POST',
        url: '/signin/',
        headers: of_type,
        payload,
      })
    }
    for (const [answer, status, text] of [
      [
        await post('application/x-www-form-urlencoded', `email=${'a'.repeat(66_000)}`),
        413,
        /Este formulario o su archivo es demasiado grande/,
      ],
      [await post('text/plain', 'email'), 415, /No se pudo leer este formulario/],
      [await post('application/x-www-form-urlencoded', 'email=%00'), 400, /No se pudo leer/],
      [await service.app.inject({ url: '/%zz', headers }), 400, /No se pudo leer esta solicitud/],
    ] as const) {
      assert.equal(answer.statusCode, status)
      assert.match(answer.body, /<html lang="es"/)
      assert.match(textOf(answer.body), text)
    }
    const english = { accept: 'text/html', 'content-type': 'text/plain' }
    const page = await service.app.inject({
      method: 'POST',
      url: '/signin/',
      headers: english,
      payload: 'email',
    })
    assert.doesNotMatch(page.body, /application\/json/)
  })

  test('is refused for a language that does not exist, and without the form’s token', async () => {
    const agent = buyer(service)
    await agent.open('/signin/')
    const before = agent.cookies.get(LANGUAGE)
    await agent.submit('Español', { language: 'tlh' })
    assert.equal(agent.page.status, 400)
    await agent.open('/signin/')
    await agent.submit('Español', { csrf_token: 'forged' })
    assert.equal(agent.page.status, 403)
    assert.equal(agent.cookies.get(LANGUAGE), before)
  })
})

describe('a purchase in Spanish', () => {
  const email = 'amelia@example.com'
  let agent: Agent
  before(async () => {
    agent = await buyIn('es', email, CARD.never_renews)
  })

  test('ends with a receipt and a PDF in Spanish', async () => {
    assert.match(agent.text, /Tidepool Pro es suyo/)
    const receipt = await emailTo(service, email, /^Su recibo de Tidepool Pro$/)
    assert.match(receipt, /Gracias por su compra de Tidepool Pro\./)
    assert.match(receipt, /Impuesto sobre las ventas \(TX\): \$0\.60/)
    assert.match(receipt, /Tarjeta: Visa terminada en 0197/)
    assert.match(receipt, /¿Tiene preguntas\? Responda a este correo/)
    const [pdf] = await pdfsOf(agent, email, 'es')
    assert.match(pdf!, /Recibo y factura/)
    assert.match(pdf!, /Página 1 de 1/)
    assert.match(pdf!, /Número de factura/)
  })

  test('shows the manage page and its emails in Spanish when a renewal fails', async () => {
    await passDays(service, 32)
    const failed = await emailTo(service, email, /^Su pago de Tidepool Pro falló$/)
    assert.match(failed, /Su banco rechazó esta tarjeta/)
    await agent.open('/signin/')
    await agent.submit('Enviarme un enlace de inicio de sesión', { email, by: 'sign_in' })
    const link = await emailTo(service, email, /^Su enlace de inicio de sesión en Purser$/)
    await agent.open(linkIn(link, 'sign_in'))
    await agent.submit('Iniciar sesión')
    const page = await agent.open(`/manage/${service.demo.app.client_id}/`)
    assert.match(textOf(page.body), /Su último pago falló/)
    assert.match(textOf(page.body), /Pago vencido/)
  })

  test('keeps the language of an invoice that was written before another was chosen', async () => {
    await agent.submit('English')
    await agent.open(`/manage/${service.demo.app.client_id}/`)
    assert.match(agent.text, /Your last payment failed/)
    const [pdf] = await pdfsOf(agent, email)
    assert.match(pdf!, /Recibo y factura/)
    const { language } = await service.world.db.one<{ language: string }>(
      sql`select language from users where email_normalized = ${email}`,
    )
    assert.equal(language, 'en')
  })
})

test('an account page that needs a confirmed email says so in Spanish', async () => {
  const { t } = localeOf('es')
  const agent = await buyIn('es', 'lucia.profile@example.com')
  for (const page of ['profile/', 'connections/', 'security/']) {
    const { body } = await agent.open(`/account/${page}`)
    assert.match(body, /<html lang="es"/, page)
    const text = textOf(body)
    for (const id of ['unproven.title', 'unproven.text'] as const) assert.ok(text.includes(t(id)))
  }
})

test('an account that was made on a Spanish page is written to in Spanish', async () => {
  const agent = buyer(service)
  agent.cookies.set(LANGUAGE, 'es')
  await agent.open('/signup/')
  await agent.submit('Crear cuenta', {
    email: 'lucia@example.com',
    password: 'una caminata por la orilla',
  })
  const confirm = await emailTo(service, 'lucia@example.com', /^Confirme su correo electrónico/)
  assert.match(confirm, /Confirmar mi correo electrónico/)
})

test('the emails and the PDF of a purchase have no English word in the pseudo-locale', async () => {
  const email = 'pseudo@example.com'
  const agent = await buyIn(PSEUDO, email)
  const { t } = localeOf(PSEUDO)
  const names = ['Purser Demo, Inc\\.', 'PURSERDEMO\\* TIDEPOOL', 'Tidepool Works LLC', 'Visa']
  const values = [...names, 'Tidepool Pro', 'Tidepool', 'TX', '1 Demo Street.*?USA', 'Purser']
  const subject = t('email.receipt_subject', { product: 'Tidepool Pro' })
  const receipt = await emailTo(service, email, new RegExp(escaped(subject)))
  const sender = service.world.config.operator.address.map(escaped)
  assert.deepEqual(plainWords(receipt, [...sender, ...values]), [])
  const [pdf] = await pdfsOf(agent, email, PSEUDO)
  const tax_id = escaped(service.world.config.operator.tax_id)
  assert.deepEqual(plainWords(pdf!, [...sender, tax_id, 'USD', 'INV[- ]?\\d+', ...values]), [])
})

test('the card page accepts a card in any language', async () => {
  const agent = buyer(service)
  agent.cookies.set(LANGUAGE, 'es')
  await agent.open(buy_url)
  await agent.submit('Continuar', { email: 'carla@example.com', ...TEXAS })
  await agent.submit('Continuar', { number: '4242', expiry: '', cvc: '' })
  assert.match(agent.text, /Esta es una compra de prueba/)
  agent.cookies.set(LANGUAGE, 'en')
  await agent.open(agent.page.url)
  await enterCard(agent)
  assert.match(agent.text, /Confirm your order/)
})
