import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CARD_STRIDE, FULL_ONLY } from '../support/budget.ts'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
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

let setup: BrowserTest
let buy_url: string
before(async () => {
  setup = await openBrowserTest()
  buy_url = setup.service.demo.app.prices[0]!.buy_url
})
after(() => setup.close())

test('an unsupported or invalid address is named, and entered values are kept', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  await page.goto(buy_url)
  await page.getByLabel('Country').selectOption('Canada')
  await giveDetails(page, email, 'K1A 0B1')
  await page.getByRole('link', { name: /available in the United States only/ }).waitFor()
  assert.equal(await page.getByLabel('Country').inputValue(), 'CA')
  assert.equal(await page.getByLabel('Email').inputValue(), email)

  await page.getByLabel('Country').selectOption('United States')
  await giveDetails(page, 'invalid', '00000')
  await page.getByRole('link', { name: /^Enter an email address/ }).waitFor()
  await page.getByRole('link', { name: /^Enter a valid five-digit US ZIP code/ }).click()
  assert.equal(await page.getByLabel('ZIP code').evaluate((field) => field.matches(':focus')), true)

  await giveDetails(page, email)
  await arrive(page, 'Enter your card')
})

test('an invalid card is refused, and its number is not shown again', async (t) => {
  const page = await setup.newPage(t)
  await page.goto(buy_url)
  await giveDetails(page, newEmail())
  await giveCard(page, '4242 4242 4242 4241')
  await page.getByRole('link', { name: /Use a test card such as/ }).waitFor()
  assert.equal(await page.getByLabel('Card number').inputValue(), '')
  assert.equal(await page.getByLabel('CVC').inputValue(), '')
  assert.equal(await page.getByLabel('Expiry').inputValue(), '12 / 30')
  await giveCard(page)
  await arrive(page, 'Confirm your order')
})

const declines = [
  ['4000 0000 0000 0002', 'Your bank declined this card. Try another card, or ask your bank.'],
  ['4000 0000 0000 9995', 'This card does not have enough funds. Try another card.'],
  ['4000 0000 0000 9987', 'Your bank declined this card. Try another card, or ask your bank.'],
  ['4000 0000 0000 9979', 'Your bank declined this card. Try another card, or ask your bank.'],
  ['4000 0000 0000 0069', 'This card has expired, or its expiry date is incorrect.'],
  ['4000 0000 0000 0127', 'The security code (CVC) does not match the card.'],
  ['4000 0000 0000 0119', 'Your bank could not process the card.'],
  ['4000 0000 0000 0341', 'Your bank declined this card. Try another card, or ask your bank.'],
  ['4100 0000 0000 0019', 'Your bank declined this card. Try another card, or ask your bank.'],
] as const

test('each declined card is explained, and another card then works', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  const tried = declines.filter((_, at) => at % CARD_STRIDE === 0)
  for (const [index, [number, sentence]] of tried.entries()) {
    // A checkout is confirmed at most six times a minute, so a new one begins after five cards.
    if (index % 5 === 0) await goToConfirm(page, { buy_url, email, card: number })
    else {
      await page.getByRole('link', { name: 'Use another card' }).click()
      await giveCard(page, number)
    }
    await press(page, /^Pay /)
    const alert = page.getByRole('alert')
    await alert.getByText('Your card was declined').waitFor()
    await alert.getByText(sentence).waitFor()
    // The card's ending is on the page, so this is the response to this card.
    await page.getByText(`ending in ${number.slice(-4)}`).waitFor()
  }
  assert.equal(await chargesOf(setup, email), 0)
  await page.getByRole('link', { name: 'Use another card' }).click()
  await giveCard(page)
  await press(page, /^Pay /)
  await keyOnSuccess(page)
  assert.equal(await chargesOf(setup, email), 1)
})

test(
  'a card from abroad, or with a ZIP code that does not exist, is refused before paying',
  FULL_ONLY,
  async (t) => {
    const page = await setup.newPage(t)
    const email = newEmail()
    await page.goto(buy_url)
    await giveDetails(page, email)
    await giveCard(page, CARDS.canadian)
    await arrive(page, 'This card cannot be used here')
    await page.getByText(/outside the United States/).waitFor()
    await page.getByRole('link', { name: 'Use another card' }).click()
    await giveCard(page, CARDS.good, '00000')
    await page.getByText(/is not a US ZIP code/).waitFor()
    await page.getByRole('link', { name: 'Use another card' }).click()
    await giveCard(page)
    await arrive(page, 'Confirm your order')
    assert.equal(await chargesOf(setup, email), 0)
  },
)

test('a bank’s challenge: failing it charges nothing, and passing it completes the purchase', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  await goToConfirm(page, { buy_url, email, card: CARDS.asks })
  await press(page, /^Pay /)
  await press(page, 'Fail authentication')
  await page.getByText('You did not confirm the payment with your bank. Try again.').waitFor()
  assert.equal(await chargesOf(setup, email), 0)
  await press(page, /^Pay /)
  await press(page, 'Complete authentication')
  await keyOnSuccess(page)
  assert.equal(await chargesOf(setup, email), 1)
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'
  const options = javaScriptEnabled ? {} : FULL_ONLY
  test(`pressing Pay twice charges once, ${how} scripts`, options, async (t) => {
    const page = await setup.newPage(t, { javaScriptEnabled })
    const email = newEmail()
    await goToConfirm(page, { buy_url, email })
    await page.getByRole('button', { name: /^Pay / }).dblclick()
    await keyOnSuccess(page)
    assert.equal(await chargesOf(setup, email), 1)
  })
}

test('reloading and going back after paying shows the same license and charges nothing', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  const key = await buy(page, { buy_url, email })
  await page.reload()
  assert.equal(await keyOnSuccess(page), key)
  await page.goBack()
  assert.equal(await keyOnSuccess(page), key)
  await page.goBack()
  await arrive(page, 'We have your card')
  await page.getByRole('link', { name: 'Continue your order' }).click()
  assert.equal(await keyOnSuccess(page), key)
  assert.equal(await chargesOf(setup, email), 1)
})

test('two tabs with the same order pay once, and both show the license', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  await goToConfirm(page, { buy_url, email })
  const other = await page.context().newPage()
  await other.goto(page.url())
  await arrive(other, 'Confirm your order')
  await press(page, /^Pay /)
  const key = await keyOnSuccess(page)
  await press(other, /^Pay /)
  assert.equal(await keyOnSuccess(other), key)
  assert.equal(await chargesOf(setup, email), 1)
})

test(
  'two tabs with orders of the same buyer pay once, and the second leads to the app',
  FULL_ONLY,
  async (t) => {
    const page = await setup.newPage(t)
    const email = newEmail()
    await goToConfirm(page, { buy_url, email })
    const other = await page.context().newPage()
    await goToConfirm(other, { buy_url: setup.service.demo.app.prices[1]!.buy_url, email })
    await press(page, /^Pay /)
    await keyOnSuccess(page)
    await press(other, /^Pay /)
    await other.waitForURL(`${setup.site.url}/**`)
    assert.equal(await chargesOf(setup, email), 1)
  },
)

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'
  const options = javaScriptEnabled ? FULL_ONLY : {}
  test(
    `a lost answer is waited for, and the page continues automatically, ${how} scripts`,
    options,
    async (t) => {
      const page = await setup.newPage(t, { javaScriptEnabled })
      const email = newEmail()
      await goToConfirm(page, { buy_url, email, card: CARDS.answer_lost })
      await press(page, /^Pay /)
      await arrive(page, 'Processing your payment')
      await keyOnSuccess(page)
      assert.equal(await chargesOf(setup, email), 1)
    },
  )
}

test(
  'a charge that never arrived is given up, and the buyer reads that nothing was charged',
  FULL_ONLY,
  async (t) => {
    const page = await setup.newPage(t)
    const email = newEmail()
    await goToConfirm(page, { buy_url, email, card: CARDS.request_lost })
    await press(page, /^Pay /)
    await arrive(page, 'Processing your payment')
    setup.service.clock.pass(30)
    await page.getByRole('alert').getByText('Nothing was charged').waitFor()
    assert.equal(await chargesOf(setup, email), 0)
    await page.getByRole('link', { name: 'Use another card' }).click()
    await giveCard(page)
    await press(page, /^Pay /)
    await keyOnSuccess(page)
    assert.equal(await chargesOf(setup, email), 1)
  },
)
