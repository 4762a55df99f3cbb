import type { Page } from 'playwright-core'
import { ProcessorUnreachable } from '#domain/payments'
import type { World } from '#flows/world'
import { readChapters } from '#surfaces/docs/chapters'
import { addApp } from '../support/apps.ts'
import { EVERY_VIEW } from '../support/budget.ts'
import type { Choices } from '../support/service.ts'
import { accountPages } from './account-pages.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { buyerPages } from './buyer-pages.ts'
import { adminPages, earningPages } from './earning-pages.ts'
import { followLink, openEmail } from './emails.ts'
import { sellerPages } from './seller-pages.ts'
import {
  arrive,
  buy,
  CARDS,
  giveCard,
  giveDetails,
  goToConfirm,
  keyOnSuccess,
  newEmail,
  press,
} from './steps.ts'

/** A service whose processor can stop responding, or fail. */
export interface PagesTest extends BrowserTest {
  processor: { state: 'works' | 'is silent' | 'breaks' }
}

export async function openPagesTest(choices: Choices = {}): Promise<PagesTest> {
  const processor: PagesTest['processor'] = { state: 'works' }
  const setup = await openBrowserTest({
    ...choices,
    processor: (sandbox) => ({
      ...sandbox,
      async find(key) {
        if (processor.state === 'is silent') throw new ProcessorUnreachable('it is silent')
        return await sandbox.find(key)
      },
      async openCardEntry(now, request) {
        if (processor.state === 'breaks') throw new Error('the processor is broken')
        return await sandbox.openCardEntry(now, request)
      },
    }),
  })
  return { ...setup, processor }
}

/** Opens one page after another and yields the name of each. */
export type PageTour = (setup: PagesTest, page: Page) => AsyncGenerator<string>

/** The pages that anyone can open. */
const SHORT_PAGE_TOURS: Record<string, PageTour> = {
  'public pages': publicPages,
  'a purchase': purchase,
  'signing in': signingIn,
  'a profile': profile,
}

const LONG_PAGE_TOURS: Record<string, PageTour> = {
  ...documentationTours(),
  'a purchase with trouble': trouble,
  'emails and their links': emailsAndLinks,
  'the editors of a seller': sellerPages,
  'earnings of sellers and affiliates': earningPages,
  'staff pages': adminPages,
  // Its buyer is the cast's affiliate, who earns nothing on their own card; and it advances an
  // app's clock.
  'what a buyer owns': buyerPages,
}

/** The tours of what buyers see, which is translated. */
export const BUYER_TOURS: Record<string, PageTour> = {
  'a purchase': purchase,
  'a purchase with trouble': trouble,
  'signing in': signingIn,
  'emails and their links': emailsAndLinks,
  'an account': accountPages,
  'a profile': profile,
  'what a buyer owns': buyerPages,
  'error pages': faults,
}

/** Every page tour by name; together they open every page of the service. */
export const PAGE_TOURS: Record<string, PageTour> = {
  ...SHORT_PAGE_TOURS,
  ...(EVERY_VIEW ? LONG_PAGE_TOURS : {}),
  'error pages': faults,
}

async function* publicPages({ service }: PagesTest, page: Page) {
  await page.goto('/dev/mailbox/')
  yield 'mailbox, empty'
  await page.goto('/')
  yield 'home'
  await page.goto('/apps/tidepool/')
  yield 'product'
  await addApp(service, { slug: 'harbor' })
  await page.goto('/apps/harbor/')
  yield 'product, sold on its own site'
  const not_for_sale = { external_sales_enabled: false, listing_mode: 'marketplace' } as const
  await addApp(service, { slug: 'lagoon', name: 'Lagoon', ...not_for_sale })
  await page.goto('/apps/lagoon/')
  yield 'product, not for sale'
  for (const name of ['terms', 'privacy', 'refunds', 'help']) {
    await page.goto(`/${name}/`)
    yield name
  }
  await page.goto('/?category=Outdoors')
  yield 'home, one category'
  for (const name of ['docs', 'changelog', 'status']) {
    await page.goto(`/${name}/`)
    yield name
  }
  for (const path of ['agents', 'sign-in', 'quick-start/license-keys', 'concepts/licenses']) {
    await page.goto(`/docs/${path}/`)
    yield `docs: ${path}`
  }
  await page.goto('/docs/api/licenses/')
  for (const closed of await page.locator('main details:visible').all())
    await closed.locator('summary').click()
  yield 'docs: an API page, everything open'
  await page.goto('/docs/search/?q=refund')
  await page.getByRole('searchbox').fill('license')
  await page.locator('[data-docs-results] a').first().waitFor()
  yield 'docs: search'
  await page.goto('/api/v1/docs/')
  yield 'api'
  for (const closed of await page.locator('main details').all())
    await closed.locator('summary').click()
  yield 'api, everything open'
}

/** A tour for each page of the documentation: all in one would take minutes. */
function documentationTours(): Record<string, PageTour> {
  const tourOf = (path: string): PageTour =>
    async function* (_setup, page) {
      await page.goto(path)
      yield path
    }
  return Object.fromEntries(readChapters().map(({ path }) => [path, tourOf(path)]))
}

async function* purchase(setup: PagesTest, page: Page) {
  const { prices, client_id } = setup.service.demo.app
  await page.goto(`${prices[0]!.buy_url}?discount=NO-SUCH-CODE`)
  yield 'details, with a code that does not apply'
  await page.goto(prices[0]!.buy_url)
  yield 'details'
  await giveDetails(page, newEmail())
  await arrive(page, 'Enter your card')
  yield 'card'
  const card_url = page.url()
  await giveCard(page)
  await arrive(page, 'Confirm your order')
  yield 'confirm'
  await page.getByText('Have a discount code?').click()
  await page.getByLabel('Discount code').fill('NO-SUCH-CODE')
  await press(page, 'Apply')
  await page.getByText('Not applied.').waitFor()
  yield 'confirm, with a code that does not apply'
  await press(page, /^Pay /)
  await keyOnSuccess(page)
  yield 'success'
  await press(page, 'Resend receipt email')
  await page.getByText(/We sent the receipt to .* again/).waitFor()
  yield 'success, receipt sent again'
  await page.goto(card_url)
  yield 'card, used'
  await page.goto('/account/')
  yield 'purchases, before the email is confirmed'
  await page.goto(`/manage/${client_id}/`)
  yield 'manage'
}

async function* trouble(setup: PagesTest, page: Page) {
  const buy_url = setup.service.demo.app.prices[0]!.buy_url
  const email = newEmail()
  await page.goto(buy_url)
  await page.getByLabel('Country').selectOption('Canada')
  await giveDetails(page, 'invalid', '0')
  yield 'details, with faults'
  await page.getByLabel('Country').selectOption('United States')
  await giveDetails(page, email)
  await giveCard(page, '4242 4242 4242 4241', '0')
  await page
    .getByText(/Use a test card/)
    .first()
    .waitFor()
  yield 'card, with faults'
  await giveCard(page, CARDS.canadian)
  await arrive(page, 'This card cannot be used here')
  yield 'card, refused'
  await page.getByRole('link', { name: 'Use another card' }).click()
  await giveCard(page, CARDS.declined)
  await press(page, /^Pay /)
  await page.getByText('Your card was declined').waitFor()
  yield 'confirm, declined'
  await page.getByRole('link', { name: 'Use another card' }).click()
  await giveCard(page, CARDS.asks)
  await press(page, /^Pay /)
  await arrive(page, 'Confirm that it is you')
  yield 'challenge'
  await press(page, 'Fail authentication')
  await page.getByRole('link', { name: 'Use another card' }).click()
  await giveCard(page, CARDS.answer_lost)
  setup.processor.state = 'is silent'
  await press(page, /^Pay /)
  await arrive(page, 'Processing your payment')
  yield 'processing'
  setup.processor.state = 'works'
  await keyOnSuccess(page)
  await page.goto(`${buy_url}?next=https://elsewhere.example/`)
  yield 'misconfigured link'

  const other = { slug: 'sextant', name: 'Sextant', trial_days: 14 }
  const { price_id } = await addApp(setup.service, other)
  await goToConfirm(page, { buy_url: `/buy/${price_id}/`, email: newEmail() })
  yield 'confirm, a trial'
  await press(page, 'Start free trial')
  await keyOnSuccess(page)
  yield 'success, a trial'
}

async function* signingIn({ service }: PagesTest, page: Page) {
  const { demo } = service
  await page.goto('/signin/')
  yield 'sign in'
  await page.getByLabel('Email').fill(demo.buyer.email)
  await page.getByLabel('Password').fill('not the password')
  await press(page, /^Sign in$/)
  await page.getByRole('alert').waitFor()
  yield 'sign in, wrong'
  await press(page, 'I forgot my password')
  await page.getByText('Check your inbox').waitFor()
  yield 'sign in, link sent'
  await page.goto(demo.app.prices[0]!.buy_url)
  await giveDetails(page, demo.buyer.email)
  await arrive(page, 'Welcome back')
  yield 'sign in, on the way'
  await page.getByLabel('Password').fill('not the password')
  await press(page, /^Sign in$/)
  await page.getByRole('alert').waitFor()
  yield 'sign in, on the way, wrong'
  await press(page, 'Email me a sign-in link')
  await page.getByText('Check your inbox').waitFor()
  yield 'sign in, on the way, link sent'
}

async function* profile({ service }: PagesTest, page: Page) {
  for (const role of ['seller', 'buyer'] as const) {
    const { email, password } = service.demo[role]
    await page.context().clearCookies()
    await page.goto('/signin/')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, /^Sign in$/)
    await page.goto('/account/profile/')
    yield `profile of a ${role}`
    await page.getByRole('link', { name: 'Delete account' }).click()
    await arrive(page, 'Delete your account')
    yield `deletion by a ${role}`
  }
  await page.getByLabel('Email').fill('another@example.com')
  await press(page, 'Delete account')
  await page.getByText('Enter the email of this account.').first().waitFor()
  yield 'deletion, with the wrong email'
  await page.goto('/account/profile/')
  await press(page, 'Export your data')
  await arrive(page, 'Your export is ready')
  yield 'data export'
}

async function* emailsAndLinks(setup: PagesTest, page: Page) {
  const email = newEmail()
  const buyer = await (await setup.browser.newContext()).newPage()
  await buy(buyer, { buy_url: setup.service.demo.app.prices[0]!.buy_url, email })
  await buyer.context().close()
  const receipt = { email, subject: /^Your receipt/ }
  await openEmail(setup, page, receipt)
  yield 'email'
  await page.getByRole('link', { name: 'All emails' }).click()
  await arrive(page, 'Development mailbox')
  yield 'mailbox'
  for (const purpose of ['verify_email', 'set_password', 'not_me']) {
    await openEmail(setup, page, receipt)
    await followLink(page, purpose)
    yield `link ${purpose}`
    if (purpose !== 'set_password') continue
    await page.getByLabel('New password').fill('short')
    await press(page, 'Save password')
    yield 'link set_password, too short'
  }
  await press(page, 'Lock the account')
  await arrive(page, 'Account locked')
  yield 'locked'
  await openEmail(setup, page, receipt)
  await followLink(page, 'verify_email')
  yield 'link, used'
  const { seller } = setup.service.demo
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(seller.email)
  await press(page, 'Email me a sign-in link')
  await openEmail(setup, page, { email: seller.email, subject: /sign-in link/ })
  yield 'email with a link'
  await followLink(page, 'sign_in')
  yield 'link sign_in'
}

async function* faults({ service, processor }: PagesTest, page: Page) {
  const { demo, world } = service
  await page.goto('/nowhere/')
  yield 'not found'
  await page.goto('/signout/')
  yield 'the address of a form'
  await page.goto('/buy/prc_nothing/')
  yield 'a buy link that is not on sale'
  await page.goto('/sandbox/card-entries/ce_0000000000000000000000')
  yield 'no such card page'
  await page.goto(`/manage/${demo.app.client_id}/?next=https://elsewhere.example/`)
  yield 'misconfigured manage link'
  await page.goto('/signin/')
  await page.context().clearCookies()
  await press(page, /^Sign in$/)
  await arrive(page, 'Request refused')
  yield 'stale form'
  processor.state = 'breaks'
  await page.goto(demo.app.prices[0]!.buy_url)
  await giveDetails(page, newEmail())
  await arrive(page, 'Something went wrong')
  yield 'a fault of ours'
  processor.state = 'works'
  await page.goto(demo.app.prices[0]!.buy_url)
  const refills = usedUp(world, 'checkout-open')
  await giveDetails(page, newEmail())
  await arrive(page, 'Too many requests')
  yield 'too fast'
  refills()
}

/** Refuses what counts against a limit, however long it takes; returns what ends that. */
function usedUp({ limits }: World, name: string): () => void {
  const { consume } = limits
  limits.consume = (limit, ...more) =>
    limit.name === name
      ? { allowed: false, remaining: 0, reset_seconds: limit.seconds }
      : consume(limit, ...more)
  return () => {
    limits.consume = consume
  }
}
