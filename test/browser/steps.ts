import type { Page } from 'playwright-core'
import { codeOf } from '../support/account.ts'
import type { TestService } from '../support/service.ts'

/** Cards of the sandbox, by behavior. */
export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  asks: '4000 0025 0000 3155',
  canadian: '4000 0012 4000 0000',
  answer_lost: '4999 9900 0000 0015',
  request_lost: '4999 9900 0000 0023',
} as const

let count = 0

/** An unused email address of a usual length, which must fit on every page. */
export function newEmail(): string {
  return `new-buyer-${++count}@example.com`
}

/** Waits for the page with this heading. */
export async function arrive(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

/** Presses a button of the page. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
}

/** Fills in the first step and continues; the caller checks where that leads. */
export async function giveDetails(page: Page, email: string, zip = '78701'): Promise<void> {
  await arrive(page, 'Your details')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('ZIP code').fill(zip)
  await press(page, 'Continue')
}

/** Fills in the processor's card page and continues. */
export async function giveCard(
  page: Page,
  number: string = CARDS.good,
  zip = '78701',
): Promise<void> {
  await arrive(page, 'Enter your card')
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12 / 30')
  await page.getByLabel('CVC').fill(/^3[47]/.test(number) ? '1234' : '123')
  await page.getByLabel('Billing ZIP code').fill(zip)
  await press(page, 'Continue')
}

/** From a buy link to the page with the Pay button. */
export async function goToConfirm(
  page: Page,
  facts: { buy_url: string; email: string; card?: string },
): Promise<void> {
  await page.goto(facts.buy_url)
  await giveDetails(page, facts.email)
  await giveCard(page, facts.card)
  await arrive(page, 'Confirm your order')
}

/** Buys, from a buy link to the success page; returns the license key that it shows. */
export async function buy(
  page: Page,
  facts: { buy_url: string; email: string; card?: string },
): Promise<string> {
  await goToConfirm(page, facts)
  await press(page, /^Pay /)
  return await keyOnSuccess(page)
}

/** The license key on the success page. */
export async function keyOnSuccess(page: Page): Promise<string> {
  await arrive(page, /is yours$/)
  return (await page.getByLabel('License key', { exact: true }).textContent())?.trim() ?? ''
}

/** Signs a person of the cast in on the sign-in page, with the second factor of staff. */
export async function signIn(
  page: Page,
  service: TestService,
  who: 'seller' | 'affiliate' | 'operator',
): Promise<void> {
  const person: { email: string; password: string; totp_secret?: string } = service.demo[who]
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await press(page, /^Sign in$/)
  if (person.totp_secret === undefined) return
  // A code is accepted once, so each sign-in needs a new half minute.
  service.clock.pass(30)
  await page.getByLabel('Authentication code').fill(codeOf(service, person.totp_secret))
  await press(page, /^Sign in$/)
}
