import type { Page } from 'playwright-core'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { lockLicense, resume, suspend } from '#flows/locked-license'
import { addSeconds } from '#platform/calendar'
import { type LicenseId, mintId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { addImported } from '../support/imported.ts'
import { DAY, runDue } from '../support/subscriber.ts'
import type { PagesTest } from './every-page.ts'
import { arrive, buy, CARDS, giveCard, press } from './steps.ts'

const NEVER_RENEWS = '4999 9900 0000 0197'

/** Every page of a buyer's purchases: the list, and a purchase in all its states. */
export async function* buyerPages(setup: PagesTest, page: Page) {
  const { demo, world } = setup.service
  const { client_id, prices } = demo.app
  const { email, password } = demo.affiliate
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Referrals')
  await page.goto('/account/')
  yield 'purchases, none'
  const manage = `/manage/${client_id}/`
  await page.goto(manage)
  yield 'manage, nothing there'
  await buy(page, { buy_url: prices[0]!.buy_url, email })
  await apps.setAllowsPause(world.db, client_id, true)
  await page.goto('/account/')
  yield 'purchases'
  await page.goto('/')
  yield 'home, signed in'
  await page.goto(manage)
  yield 'manage, active'
  const down = await addCheaperPlan(setup)
  yield* changes(page, { manage, upgrade: prices[2]!.public_id, down })
  yield* payments(setup, page, { manage, upgrade: prices[2]!.public_id })
  yield* suspended(setup, page, manage)
  yield* continued(setup, page, manage)
}

/** An imported license that its buyer continues with a card. */
async function* continued({ service }: PagesTest, page: Page, manage: string) {
  const { world, clock, demo } = service
  const { client_id: app_id, prices } = demo.app
  const { product_id } = await catalog.getPrice(world.db, prices[0]!.public_id)
  const { clock_ahead } = await apps.get(world.db, app_id)
  const ends_at = addSeconds(clock.now(), clock_ahead + 20 * DAY)
  const imported = { app_id, product_id, email: demo.affiliate.email, ends_at }
  const license_id = await addImported(service, imported)
  await page.goto(manage)
  yield 'manage, imported'
  await page.getByRole('link', { name: 'Continue at $12.00 per month' }).click()
  await arrive(page, /^Continue Tidepool/)
  yield 'continue with a card'
  await page.getByLabel('ZIP code').fill('78701')
  await press(page, 'Continue')
  await giveCard(page)
  await arrive(page, 'Confirm your order')
  yield 'confirm, continued'
  const away = { license_id, trigger: 'suspended', paused_for: 'staff' } as const
  await world.db.tx(async (tx) => suspend(tx, await lockLicense(world, tx, license_id), away))
  await press(page, 'Continue with this card')
  yield 'not continued'
  await world.db.tx(async (tx) => resume(tx, await lockLicense(world, tx, license_id)))
  await page.goBack()
  await press(page, 'Continue with this card')
  await arrive(page, /continues$/)
  yield 'success, continued'
  await page.goto(manage)
  yield 'manage, continued'
}

/** A cheaper plan than the one bought here, so changing to it waits for the period's end. */
async function addCheaperPlan({ service }: PagesTest): Promise<string> {
  const { world, clock, demo } = service
  const [product_id, id] = [mintId(world.random, 'prod'), mintId(world.random, 'prc')]
  const plan = { name: 'Lite', description: '', is_free: false, position: 9, trial_days: 0 }
  await world.db.tx(async (tx) => {
    const product = { ...plan, id: product_id, app_id: demo.app.client_id }
    await catalog.addProduct(tx, clock.now(), product)
    const price = { id, product_id, amount: cents(500), frequency: 'month' } as const
    await catalog.addPrice(tx, clock.now(), price)
  })
  return id
}

/** Changes that a buyer can make without paying at once. */
async function* changes(
  page: Page,
  { manage, upgrade, down }: Record<'manage' | 'upgrade' | 'down', string>,
) {
  await page.goto(`${manage}plan/`)
  yield 'change plan'
  await page.goto(`${manage}plan/${upgrade}/`)
  yield 'a move up'
  await page.goto(`${manage}plan/${down}/`)
  yield 'a move at the end of the period'
  await press(page, /^Change on/)
  await page.getByText('Plan change scheduled. You keep your current plan until it').waitFor()
  yield 'manage, a move is planned'
  await press(page, 'Keep my plan')
  await page.goto(`${manage}key/`)
  yield 'replace the key'
  await press(page, 'Replace the key now')
  await page.getByText('This is your new key').waitFor()
  yield 'manage, the key was replaced'
  await page.goto(`${manage}pause/`)
  yield 'pause'
  await press(page, /^Pause on/)
  yield 'manage, a pause is planned'
  await page.goto(`${manage}pause/`)
  yield 'do not pause'
  await press(page, 'Cancel pause')
  await page.goto(`${manage}auto-renew/`)
  yield 'auto-renew off'
  await press(page, 'Cancel subscription')
  await page.getByText('Auto-renew is off').waitFor()
  yield 'manage, auto-renew is off'
  await page.goto(`${manage}auto-renew/`)
  yield 'auto-renew on'
  await press(page, 'Keep my subscription')
}

/** Cards, and failing payments. */
async function* payments(
  setup: PagesTest,
  page: Page,
  { manage, upgrade }: Record<'manage' | 'upgrade', string>,
) {
  const enter = async (number: string) => {
    await page.goto(manage)
    await press(page, 'Update card')
    await page.getByLabel('Card number').fill(number)
    await page.getByLabel('Expiry').fill('12 / 30')
    await page.getByLabel('CVC').fill('123')
  }
  await enter(CARDS.canadian)
  yield 'the processor’s portal'
  await press(page, 'Save this card')
  await page.getByText('This card cannot be used here').waitFor()
  yield 'manage, the new card is refused'
  await enter(CARDS.declined)
  await press(page, 'Save this card')
  await page.goto(`${manage}plan/${upgrade}/`)
  await press(page, /^Pay /)
  await page.getByText('Your card was declined').waitFor()
  yield 'a move up, declined'
  await enter(CARDS.request_lost)
  await press(page, 'Save this card')
  await page.goto(`${manage}plan/${upgrade}/`)
  setup.processor.state = 'is silent'
  await press(page, /^Pay /)
  await arrive(page, 'Processing your payment')
  yield 'waiting for the bank'
  setup.processor.state = 'works'
  setup.service.clock.pass(30)
  await page.getByText('Nothing was charged').first().waitFor()
  await enter(NEVER_RENEWS)
  await press(page, 'Save this card')
  await passDays(setup, 32)
  await page.goto(manage)
  yield 'manage, past due'
  await page.goto(`${manage}auto-renew/`)
  yield 'cancel what is owed'
  await page.goto('/account/')
  yield 'purchases, one is owed for'
}

/** Licenses that are suspended or have ended. */
async function* suspended(setup: PagesTest, page: Page, manage: string) {
  const { world, demo } = setup.service
  await page.goto(manage)
  await press(page, /^Pay /)
  await page.getByText('The payment went through').waitFor()
  yield 'manage, paid'
  const { license_id } = await world.db.one<{ license_id: LicenseId }>(sql`
    select l.id as license_id from licenses l join users u on u.id = l.user_id
    where u.email_normalized = ${demo.affiliate.email}`)
  const suspension = { trigger: 'suspended', paused_for: 'staff' } as const
  await world.db.tx(async (tx) => suspend(tx, await lockLicense(world, tx, license_id), suspension))
  await page.goto(manage)
  yield 'manage, paused by staff'
  await world.db.tx(async (tx) => resume(tx, await lockLicense(world, tx, license_id)))
  await page.goto(`${manage}pause/`)
  await press(page, /^Pause on/)
  await passDays(setup, 32)
  await page.goto(manage)
  yield 'manage, paused by its owner'
  await press(page, /^Resume for/)
  await page.getByText('The payment went through').waitFor()
  await passDays(setup, 32)
  await page.goto(`${manage}auto-renew/`)
  await press(page, 'Cancel now')
  await page.getByText('This license has ended').waitFor()
  yield 'manage, ended'
}

/** Advances the cast's app by days, and processes what is due. */
async function passDays({ service }: PagesTest, days: number): Promise<void> {
  const { db } = service.world
  const { client_id } = service.demo.app
  const { clock_ahead } = await apps.get(db, client_id)
  await apps.setClockAhead(db, client_id, clock_ahead + days * DAY)
  await runDue(service)
}
