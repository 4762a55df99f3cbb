import type { Page } from 'playwright-core'
import { listMailbox } from '#platform/mail'
import { eventually } from '../support/eventually.ts'
import type { BrowserTest } from './browser-test.ts'

/** The number of emails to an address, of all subjects or one. */
export async function countEmails(
  { service }: BrowserTest,
  email: string,
  subject: RegExp = /./,
): Promise<number> {
  const emails = await listMailbox(service.world.db)
  return emails.filter((each) => each.recipient === email && subject.test(each.subject)).length
}

/** Opens the latest email to an address in the development mailbox, once there are that many. */
export async function openEmail(
  setup: BrowserTest,
  page: Page,
  facts: { email: string; subject: RegExp; count?: number },
): Promise<void> {
  const { email, subject, count = 1 } = facts
  await eventually(`email ${count} to ${email}`, async () => {
    return (await countEmails(setup, email, subject)) >= count
  })
  await page.goto('/dev/mailbox/')
  const item = page.getByRole('listitem').filter({ hasText: email })
  await item.getByRole('link', { name: subject }).first().click()
  await page.getByRole('heading', { level: 1, name: subject }).waitFor()
}

/** Follows the link of the open email that leads to `/link/{purpose}/…`. */
export async function followLink(page: Page, purpose: string): Promise<void> {
  await page.locator(`main a[href*="/link/${purpose}/"]`).click()
}
