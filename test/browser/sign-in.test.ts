import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
import { followLink, openEmail } from './emails.ts'
import { arrive, buy, giveCard, giveDetails, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: BrowserTest
let buy_url: string
before(async () => {
  setup = await openBrowserTest()
  buy_url = setup.service.demo.app.prices[0]!.buy_url
})
after(() => setup.close())

test('an email with an account signs in first: a wrong password shows an error, the right one continues', async (t) => {
  const { email, password } = setup.service.demo.buyer
  const page = await setup.newPage(t)
  await page.goto(buy_url)
  await giveDetails(page, email)
  await arrive(page, 'Welcome back')
  await page.getByLabel('Password').fill('not the password')
  await press(page, 'Sign in')
  await page.getByRole('alert').getByText('The password is incorrect.').waitFor()
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await giveCard(page)
  await press(page, /^Pay /)
  await keyOnSuccess(page)
  assert.equal(await chargesOf(setup, email), 1)

  // The same person in another browser is recognized only after signing in, and then redirected to
  // the app.
  const elsewhere = await setup.newPage(t)
  await elsewhere.goto(buy_url)
  await giveDetails(elsewhere, email)
  await arrive(elsewhere, 'Welcome back')
  await elsewhere.getByLabel('Password').fill(password)
  await press(elsewhere, 'Sign in')
  await elsewhere.waitForURL(`${setup.site.url}/login?svc_order=*`)
  await elsewhere.goto(buy_url)
  await elsewhere.waitForURL(`${setup.site.url}/login?svc_order=*`)
  assert.equal(await chargesOf(setup, email), 1)
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'
  test(`an owner without a password signs in with an emailed link and returns to the app, ${how} scripts`, async (t) => {
    const email = newEmail()
    await buy(await setup.newPage(t), { buy_url, email })
    const page = await setup.newPage(t, { javaScriptEnabled })
    await page.goto(buy_url)
    await giveDetails(page, email)
    await arrive(page, 'Welcome back')
    await press(page, 'Email me a sign-in link')
    await page.getByText('Check your inbox').waitFor()
    await openEmail(setup, page, { email, subject: /sign-in link/ })
    await followLink(page, 'sign_in')
    await arrive(page, 'Sign in with this link')
    await press(page, 'Sign in')
    await page.waitForURL(`${setup.site.url}/login?svc_order=*`)
    assert.equal(await chargesOf(setup, email), 1)
  })
}

test('an emailed link continues the purchase that it was requested for', async (t) => {
  const { email } = setup.service.demo.affiliate
  const page = await setup.newPage(t)
  await page.goto(buy_url)
  await giveDetails(page, email)
  await press(page, 'Email me a sign-in link')
  await openEmail(setup, page, { email, subject: /sign-in link/ })
  await followLink(page, 'sign_in')
  await press(page, 'Sign in')
  await arrive(page, 'Enter your card')
})

test('an emailed link that is opened in another browser starts the purchase again there', async (t) => {
  const { email } = setup.service.demo.affiliate
  const page = await setup.newPage(t)
  await page.goto(buy_url)
  await giveDetails(page, email)
  await press(page, 'Email me a sign-in link')
  const phone = await setup.newPage(t)
  await openEmail(setup, phone, { email, subject: /sign-in link/ })
  await followLink(phone, 'sign_in')
  await press(phone, 'Sign in')
  await arrive(phone, 'Your details')
  assert.equal(await phone.getByLabel('Email').inputValue(), email)
})

test('an owner signs in at the sign-in page, sees the purchase, and signs out', async (t) => {
  const email = newEmail()
  await buy(await setup.newPage(t), { buy_url, email })
  const page = await setup.newPage(t)
  await page.goto('/account/')
  await arrive(page, 'Sign in')
  await page.getByLabel('Email').fill(email)
  await press(page, 'Email me a sign-in link')
  await page.getByText('Check your inbox').waitFor()
  await openEmail(setup, page, { email, subject: /sign-in link/ })
  await followLink(page, 'sign_in')
  await press(page, 'Sign in')
  await arrive(page, 'Your purchases')
  await page.getByRole('link', { name: 'Tidepool' }).click()
  await arrive(page, 'Tidepool')
  await press(page, 'Sign out')
  await page.goto('/account/')
  await arrive(page, 'Sign in')
})
