import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { PSEUDO, withPseudoLocale } from '../support/pseudo-locale.ts'
import { followLink, openEmail } from './emails.ts'
import { BUYER_TOURS, openPagesTest, type PagesTest } from './every-page.ts'
import { giveCard, giveDetails } from './steps.ts'

let setup: PagesTest
before(async () => {
  setup = await openPagesTest({ languages: withPseudoLocale() })
})
after(() => setup.close())

/** What buyers see, which is in their language; the mailbox is for development. */
const TRANSLATED =
  /^\/(buy|checkout|sandbox\/(card-entries|portals|challenges)|signin|signup|link|manage|account\/(\?|security|confirm|connections|profile|$)|tasks|nowhere)/

/** Words that are the same in every language: names, and what the browser's own language writes. */
const UNTRANSLATED = new RegExp(
  [
    'Purser( Demo, Inc\\.)?|PURSER|DEMO|Tidepool( Works LLC)?|TIDEPOOL|Harbor|Sextant|SEXTANT|Lite|Pro|Team|Lifetime',
    // What the seller wrote, and what the processor was asked to charge.
    'Every beach[^.]*\\.|Everything in[^.]*\\.|Invoice(?= inv_)',
    'Chrome|Linux|Visa|Mastercard|American Express|English( \\(Pseudo-Accents\\))?|Español|preview',
    'January|February|March|April|May|June|July|August|September|October|November|December',
    '[A-Z]{2}(?= \\d{5})|(?<=\\()[A-Z]{2}(?=[,)])|(?<= )[A-Z]{2}(?=\\.)|NO-SUCH-CODE',
    'purser-data-[\\d-]+\\.json|bytes|KB',
    // The key of an authenticator app, and references.
    '[A-Z2-7]{32}|\\S+@\\S+|(req|key|ord|inv|usr)_\\w+|https?:\\S+',
  ].join('|'),
  'g',
)

/** The plain words on a page, in its title and in what screen readers say. */
async function plainWords(page: Page): Promise<string[]> {
  // The processor's page shows the order in the language in which it was opened.
  const summary = page.url().includes('/sandbox/') ? ', aside' : ''
  const texts = await page.evaluate<string[]>(`((summary) => {
    const texts = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, nodeValue } = walker.currentNode
      if (!parentElement.closest('script, noscript, option, [lang]:not(html)' + summary)) texts.push(nodeValue)
    }
    const named = ['aria-label', 'placeholder', 'alt', 'data-pending', 'data-copied', 'data-redirect-stay']
    for (const name of named)
      for (const each of document.querySelectorAll('[' + name + ']')) texts.push(each.getAttribute(name))
    return texts
  })('${summary}')`)
  return texts
    .map((text) =>
      text
        .replaceAll(UNTRANSLATED, '')
        .match(/(?<!\p{L})[A-Za-z]{2,}(?!\p{L})/gu)
        ?.join(' '),
    )
    .filter((words) => words !== undefined)
}

/** Whether the address of a page shows it again, in the language of the browser. */
function isTranslated(page: Page): boolean {
  const { pathname, search } = new URL(page.url())
  return TRANSLATED.test(`${pathname}${search}`)
}

/** Another page of the same browser: a phone's, in a language. */
async function phoneIn(language: string, page: Page): Promise<Page> {
  const phone = await page.context().newPage()
  await phone.setViewportSize({ width: 375, height: 800 })
  await phone.setExtraHTTPHeaders({ 'accept-language': language })
  return phone
}

/** What is wrong with the page at an address in a language, on a phone in it. */
async function problemsIn(language: string, phone: Page, url: string): Promise<string[]> {
  await phone.goto(url)
  const problems: string[] = []
  const lang = await phone.getAttribute('html', 'lang')
  if (lang !== language) problems.push(`is in ${lang}`)
  const width = await phone.evaluate('document.documentElement.scrollWidth')
  if (width !== 375) problems.push(`is ${width} wide`)
  if (language === PSEUDO) problems.push(...(await plainWords(phone)))
  // Its scripts may follow the page to its next one.
  await phone.goto('about:blank')
  return problems.map((problem) => `${language}: ${problem}`)
}

test('a person chooses a language in the footer, buys in it, and is written to in it', async (t) => {
  const page = await setup.newPage(t)
  const { prices } = setup.service.demo.app
  await page.goto(`${prices[0]!.buy_url}?next=${encodeURIComponent('http://localhost:4999/back')}`)
  const address = page.url()
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sus datos' }).waitFor()
  assert.equal(page.url(), address)
  assert.equal(await page.getAttribute('html', 'lang'), 'es')
  await page.getByRole('button', { name: 'English', exact: true }).click()
  await giveDetails(page, 'amelia@example.com')
  await page.getByRole('heading', { level: 1, name: 'Enter your card' }).waitFor()
  await giveCard(page)
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByRole('heading', { level: 1, name: 'Confirme su pedido' }).waitFor()
  await page.getByRole('button', { name: /^Pagar / }).click()
  await page.getByRole('heading', { level: 1, name: /es suyo$/ }).waitFor()
  const email = { email: 'amelia@example.com', subject: /^Su recibo de Tidepool Pro$/ }
  await openEmail(setup, page, email)
  await page.getByText('Gracias por su compra de Tidepool Pro.').waitFor()
})

test('the order on the card page is in the language that is chosen there', async (t) => {
  const page = await setup.newPage(t)
  await page.goto(setup.service.demo.app.prices[0]!.buy_url)
  await giveDetails(page, 'bruno@example.com')
  await page.getByRole('heading', { level: 1, name: 'Enter your card' }).waitFor()
  const summary = page.getByRole('complementary')
  const english = await summary.innerText()
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ingrese su tarjeta' }).waitFor()
  assert.notEqual(await summary.innerText(), english)
  assert.match(await summary.innerText(), /impuesto/i)
})

test('the choice works without script, and on a page with a secret address', async (t) => {
  const page = await setup.newPage(t, { javaScriptEnabled: false })
  await page.goto('/signin/?return_to=%2Faccount%2F')
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByRole('heading', { level: 1, name: 'Iniciar sesión' }).waitFor()
  assert.match(page.url(), /return_to=%2Faccount%2F$/)

  const email = { email: 'amelia@example.com', subject: /^Su recibo de Tidepool Pro$/ }
  await openEmail(setup, page, email)
  await followLink(page, 'verify_email')
  const address = page.url()
  await page.getByRole('button', { name: 'English', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Confirm your email' }).waitFor()
  assert.equal(page.url(), address)
})

describe('in Spanish, and in a language that is 40 percent longer than English', () => {
  for (const [name, tour] of Object.entries(BUYER_TOURS)) {
    test(`no page shows an English word or scrolls sideways: ${name}`, async (t) => {
      const page = await setup.newPage(t)
      const phones = new Map<string, Page>()
      for (const each of [PSEUDO, 'es']) phones.set(each, await phoneIn(each, page))
      const problems: string[] = []
      let seen = 0
      for await (const stop of tour(setup, page)) {
        if (!isTranslated(page)) continue
        seen++
        for (const [language, phone] of phones) {
          const found = await problemsIn(language, phone, page.url())
          problems.push(...found.map((problem) => `${stop}: ${problem}`))
        }
      }
      assert.deepEqual(problems, [])
      assert.ok(seen > 1)
    })
  }
})
