import { after, before, test } from 'node:test'
import { openPagesTest, type PagesTest } from './every-page.ts'
import { arrive, CARDS, goToConfirm, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: PagesTest
before(async () => {
  setup = await openPagesTest()
})
after(() => setup.close())

test('an open page says once a payment takes longer than usual, and then where it ended', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  const { buy_url } = setup.service.demo.app.prices[0]!
  await goToConfirm(page, { buy_url, email, card: CARDS.answer_lost })
  setup.processor.state = 'is silent'
  await press(page, /^Pay /)
  await arrive(page, 'Processing your payment')
  await page.getByText('usually within seconds').waitFor()
  setup.service.clock.pass(60)
  await page.getByText('longer than usual').waitFor()
  await page.getByRole('status').getByText(email).waitFor()
  setup.processor.state = 'works'
  await keyOnSuccess(page)
})
