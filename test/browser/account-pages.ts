import type { Page } from 'playwright-core'
import type { PagesTest } from './every-page.ts'
import { arrive, press } from './steps.ts'

/** Every page of a buyer's account that its address shows again. */
export async function* accountPages({ service }: PagesTest, page: Page) {
  const { email, password } = service.demo.buyer
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Your purchases')
  await page.goto('/account/security/')
  yield 'security'
  await page.goto('/account/connections/')
  yield 'connections'
  await page.goto('/account/profile/')
  yield 'profile'
  await page.goto('/account/profile/delete')
  yield 'deletion'
  for (const name of ['password', 'email', 'passkeys']) {
    await page.goto(`/account/security/${name}`)
    yield `security: ${name}`
  }
  await page.goto('/account/security/')
  await press(page, 'Set up an authenticator app')
  await arrive(page, 'Set up an authenticator app')
  yield 'security: authenticator app'
  for (const query of ['', '?with=recovery_code']) {
    await page.goto(`/account/confirm${query}`)
    yield `confirm${query}`
  }
}
