import { cents } from '#platform/money'
import { describeProcessor, type Outside } from '../processor/contract.ts'
import { FORM, openPlace } from './world.ts'

const LOSSY = { answer: '4999 9900 0000 0015', request: '4999 9900 0000 0023' }
const BANKS = { works: '000123456789', fails: '000111111113' }

/** The sandbox, its pages used as people use them. */
async function openOutside(): Promise<Outside> {
  const { sandbox, post, pass, now, enterCard, receive, close } = await openPlace()

  await sandbox.moveFunds(now(), cents(1_000_000_00))

  async function fill(url: string, form: Record<string, string>): Promise<void> {
    const { statusCode, body } = await post(url, form)
    if (statusCode !== 303) throw new Error(`the form was not taken: ${body}`)
  }

  return {
    processor: sandbox,
    now,
    pass: async (seconds) => pass(seconds * 1000),
    enterCard: ({ url }, number, zip = FORM.zip) => fill(url, { ...FORM, number, zip }),
    enterLossyCard: (loses) => enterCard({ number: LOSSY[loses] }),
    endChallenge: (url, how) => fill(url, { result: how === 'passed' ? 'complete' : 'fail' }),
    enterBank: (url, kind) =>
      fill(url, { routing_number: '110000000', account_number: BANKS[kind] }),
    async refundOutside(charge_id, amount) {
      const facts = { charge_id, amount: cents(amount) }
      return (await sandbox.refundOutside(now(), facts))!.refund_id
    },
    cancelPayout: (payout_id) => sandbox.cancelPayout(now(), payout_id),
    warnOfFraud: (charge_id) => sandbox.warnOfFraud(now(), charge_id),
    moveFunds: (amount) => sandbox.moveFunds(now(), cents(amount)),
    changeCard: ({ url }, number) => fill(url, { ...FORM, number }),
    // A lost answer arrives after three seconds; all else of the sandbox is a matter of its clock.
    settle: async () => pass(3000),
    receive,
    close,
  }
}

describeProcessor('the sandbox keeps its word', openOutside)
