import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeOf, PASSWORD } from '../support/account.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { followLink, openEmail } from './emails.ts'
import { arrive, buy, newEmail, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** Adds a virtual passkey device that always verifies its user. */
async function addDevice(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const authenticator = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { authenticator, send: devtools.send.bind(devtools) }
}

async function assertAccessible(page: Page, stop: string): Promise<void> {
  assert.equal((await accessibilityProblems(page)).join('\n'), '', stop)
}

/** Signs up by the page and the email, and is signed in. */
async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/signin/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Create account')
  await arrive(page, 'Check your inbox')
  await openEmail(setup, page, { email, subject: /^Confirm your email/ })
  await followLink(page, 'sign_up')
  await press(page, 'Confirm my email')
  await arrive(page, 'Your purchases')
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, /^Sign in$/)
}

/** Sets up an authenticator app; the next code is valid half a minute later. */
async function addAuthenticator(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Security' }).click()
  await press(page, 'Set up an authenticator app')
  const key = page.getByLabel('Setup key', { exact: true })
  const secret = (await key.textContent())?.trim() ?? ''
  await page.getByLabel('Authentication code').fill(codeOf(setup.service, secret))
  await press(page, 'Turn it on')
  await arrive(page, 'Your recovery codes')
  setup.service.clock.pass(30)
  return secret
}

test('from a new account to a passkey: code, then passkey as second factor, then alone', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  await addDevice(page)
  await signUp(page, email)
  const secret = await addAuthenticator(page)
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await press(page, 'Sign out here')

  await enterPassword(page, email)
  await arrive(page, 'One more step')
  await page.getByLabel('Authentication code').fill(codeOf(setup.service, secret))
  await press(page, 'Sign in')
  await arrive(page, 'Your purchases')

  await page.goto('/account/security/')
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Work laptop')
  await press(page, 'Create a passkey')
  await page.getByText('Passkey added.').waitFor()
  await page.getByText('Work laptop').waitFor()
  await press(page, 'Sign out here')

  await enterPassword(page, email)
  await arrive(page, 'One more step')
  await press(page, 'Use a passkey')
  await arrive(page, 'Your purchases')
  await press(page, 'Sign out')

  await page.goto('/signin/?return_to=/account/security/')
  await press(page, 'Use a passkey')
  await arrive(page, 'Security')
  await page.getByText(/Last used on/).waitFor()

  // It also re-authenticates the person before a change.
  setup.service.clock.pass(601)
  await page.getByRole('link', { name: 'Change password' }).click()
  await arrive(page, 'Confirm your identity')
  await press(page, 'Use a passkey')
  await arrive(page, 'Change your password')
})

test('a person without a passkey sees why it failed, and can try again', async (t) => {
  const page = await setup.newPage(t)
  await addDevice(page)
  await page.goto('/signin/')
  for (let tries = 0; tries < 2; tries++) {
    await press(page, 'Use a passkey')
    await page.getByText('No passkey was used.').waitFor()
  }
})

test('without scripts an account can be created, protected by a code, and signed in to with it', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t, { javaScriptEnabled: false })
  await signUp(page, email)
  const secret = await addAuthenticator(page)
  const codes = await page.getByLabel('Recovery codes', { exact: true }).textContent()
  const phone = await setup.newPage(t, { javaScriptEnabled: false })
  await enterPassword(phone, email)
  await arrive(phone, 'One more step')
  assert.equal(await phone.getByRole('button', { name: 'Use a passkey' }).count(), 0)
  await phone.getByLabel('Authentication code').fill(codeOf(setup.service, secret))
  await press(phone, 'Sign in')
  await arrive(phone, 'Your purchases')
  const tablet = await setup.newPage(t, { javaScriptEnabled: false })
  await enterPassword(tablet, email)
  await tablet.getByRole('link', { name: 'Use a recovery code' }).click()
  await tablet.getByLabel('Recovery code').fill(codes?.trim().split('\n')[0] ?? '')
  await press(tablet, 'Sign in')
  await arrive(tablet, 'Your purchases')
})

test('every page of account security is accessible', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  await addDevice(page)
  await page.goto('/signup/')
  await assertAccessible(page, 'sign-up')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('password1234')
  await press(page, 'Create account')
  await page.getByText('This password is easy to guess').waitFor()
  await assertAccessible(page, 'sign-up with a fault')
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Create account')
  await arrive(page, 'Check your inbox')
  await assertAccessible(page, 'check your inbox')
  const elsewhere = await setup.newPage(t)
  await openEmail(setup, elsewhere, { email, subject: /^Confirm your email/ })
  await followLink(elsewhere, 'sign_up')
  await assertAccessible(elsewhere, 'link sign_up elsewhere')
  await openEmail(setup, page, { email, subject: /^Confirm your email/ })
  await followLink(page, 'sign_up')
  await assertAccessible(page, 'link sign_up')
  await press(page, 'Confirm my email')
  await page.goto('/account/security/')
  await assertAccessible(page, 'security, nothing set')
  await press(page, 'Set up an authenticator app')
  await assertAccessible(page, 'authenticator app')
  await page.getByLabel('Authentication code').fill('000000')
  await press(page, 'Turn it on')
  await page.getByText('This code is incorrect').waitFor()
  await assertAccessible(page, 'authenticator app with a fault')
  const key = await page.getByLabel('Setup key', { exact: true }).textContent()
  const code = codeOf(setup.service, key?.trim() ?? '')
  await page.getByLabel('Authentication code').fill(code)
  await press(page, 'Turn it on')
  await arrive(page, 'Your recovery codes')
  await assertAccessible(page, 'recovery codes')
  await page.goto('/account/security/passkeys')
  await assertAccessible(page, 'add a passkey')
  await press(page, 'Create a passkey')
  await page.getByText('Passkey added.').waitFor()
  await assertAccessible(page, 'security, all set')
  for (const path of ['password', 'email']) {
    await page.goto(`/account/security/${path}`)
    await assertAccessible(page, path)
  }
  await page.getByLabel('New email').fill(newEmail())
  await press(page, 'Send confirmation email')
  await openEmail(setup, page, { email, subject: /about to change/ })
  await assertAccessible(page, 'email about a change of email')
  await followLink(page, 'undo_email')
  await assertAccessible(page, 'link undo_email')
  setup.service.clock.pass(601)
  await page.goto('/account/security/password')
  await assertAccessible(page, 'confirm')
  await page.goto('/account/security/')
  await press(page, 'Sign out here')
  await enterPassword(page, email)
  await arrive(page, 'One more step')
  await assertAccessible(page, 'second factor')
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await assertAccessible(page, 'recovery code')
})

test('adding a passkey leads to re-authentication if that became due on the page', async (t) => {
  const page = await setup.newPage(t)
  await addDevice(page)
  await signUp(page, newEmail())
  await page.goto('/account/security/passkeys')
  setup.service.clock.pass(601)
  await press(page, 'Create a passkey')
  await arrive(page, 'Confirm your identity')
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Confirm')
  await arrive(page, 'Add a passkey')
  await press(page, 'Create a passkey')
  await arrive(page, 'Your recovery codes')
})

test('a passkey that is not added says why', async (t) => {
  const page = await setup.newPage(t)
  const device = await addDevice(page)
  await signUp(page, newEmail())
  const add = async () => {
    await page.goto('/account/security/passkeys')
    await press(page, 'Create a passkey')
  }
  await device.send('WebAuthn.setUserVerified', { ...device.authenticator, isUserVerified: false })
  await add()
  await page.getByText('No passkey was created. Try again.').waitFor()
  await device.send('WebAuthn.setUserVerified', { ...device.authenticator, isUserVerified: true })
  await add()
  await arrive(page, 'Your recovery codes')
  await add()
  await page.getByText('This device already has a passkey for your account.').waitFor()
  assert.equal(await page.getByText('No passkey was created').isVisible(), false)
})

test('an unconfirmed account shows what to do first', async (t) => {
  const page = await setup.newPage(t)
  await buy(page, { buy_url: setup.service.demo.app.prices[0]!.buy_url, email: newEmail() })
  await page.goto('/account/security/')
  await page.getByText('Confirm your email first').waitFor()
  await assertAccessible(page, 'security, unproven')
})

test('an email address stays whole, with the full stop after it, at every width', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  await buy(page, { buy_url: setup.service.demo.app.prices[0]!.buy_url, email })
  await page.goto('/account/security/')
  for (let width = 280; width < 480; width += 2) {
    await page.setViewportSize({ width, height: 800 })
    type Lines = Record<'first' | 'last' | 'stop', number>
    const { first, last, stop } = await page.evaluate<Lines>(`(() => {
      const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
      const find = (text) => {
        while (walker.nextNode())
          if (walker.currentNode.nodeValue.startsWith(text)) return walker.currentNode
      }
      const lineAt = (node, index) => {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + 1)
        return range.getBoundingClientRect().bottom
      }
      const address = find('${email}')
      const [first, last] = [lineAt(address, 0), lineAt(address, ${email.length - 1})]
      return { first, last, stop: lineAt(find('.'), 0) }
    })()`)
    assert.deepEqual([last - first, Math.round(stop - last)], [0, 0], `${width} wide`)
  }
})
