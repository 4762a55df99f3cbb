import { randomUUID } from 'node:crypto'
import type { Card, ChargeRequest, Processor, ProcessorEvent } from '#domain/payments'
import { cents } from '#platform/money'

/**
 * A processor under test and the world around it: its clock, its pages as people use them, and
 * the events that it sends. The numbers of test cards are those that Stripe publishes.
 */
export interface Outside {
  processor: Processor
  now(): Date
  pass(seconds: number): Promise<void>
  /** Enters a card on the page of an entry: any future expiry, ZIP 94107 unless one is given. */
  enterCard(entry: { id: string; url: string }, number: string, zip?: string): Promise<void>
  /** A card whose next charge is made but not answered, or never arrives. */
  enterLossyCard(loses: 'answer' | 'request'): Promise<Card>
  /** Ends a challenge as its buyer does, on the bank's page. */
  endChallenge(action_url: string, how: 'passed' | 'failed'): Promise<void>
  /** Names a bank account on the page of a payee: one that takes money, or one that does not. */
  enterBank(onboarding_url: string, kind: 'works' | 'fails'): Promise<void>
  /** Moves the operator's own money to our balance; a negative amount leaves it. */
  moveFunds(amount: number): Promise<void>
  /** What happens on the processor's own pages, or in a card network. */
  refundOutside(charge_id: string, amount: number): Promise<string>
  cancelPayout(payout_id: string): Promise<void>
  warnOfFraud(charge_id: string): Promise<void>
  /** Puts another card in the place of the one on file. */
  changeCard(portal: { id: string; url: string }, number: string): Promise<void>
  /** Lets everything outside that is due by now happen; also what a fault of the network delays. */
  settle(): Promise<void>
  /** The events since the last call, polled or delivered; acknowledged. */
  receive(): Promise<ProcessorEvent[]>
  close(): Promise<void>
}

type EventOf<Kind> = Extract<ProcessorEvent, { kind: Kind }>

const RETURN_URL = 'https://purser.example/checkout/cart_1/confirm'
const DAY_SECONDS = 24 * 60 * 60

/** A processor with the steps that most of the tests take. */
export function processorSteps(outside: Outside) {
  const { processor } = outside
  const received: ProcessorEvent[] = []

  const openEntry = () =>
    processor.openCardEntry(outside.now(), {
      app_name: 'Harbor',
      product_name: 'Harbor Pro',
      email: 'buyer@example.com',
      summary: ['$12.75 today', 'then $12.75 a month'],
      zip: '94107',
      return_url: RETURN_URL,
      back_url: 'https://purser.example/checkout/cart_1/details',
    })

  const requestFor = (card_token: string, facts: Partial<ChargeRequest> = {}): ChargeRequest => ({
    key: `att_${randomUUID()}`,
    amount: cents(1275),
    currency: 'usd',
    card_token,
    description: 'Harbor Pro',
    off_session: false,
    return_url: RETURN_URL,
    ...facts,
  })

  async function enterCard(number: string, zip?: string): Promise<Card> {
    const entry = await openEntry()
    await outside.enterCard(entry, number, zip)
    const card = await processor.readCardEntry(entry.id)
    if (!card) throw new Error('the card that was entered is missing')
    return card
  }

  /** Asks for money, under a new key unless one is given. */
  const charge = (card_token: string, facts: Partial<ChargeRequest> = {}) =>
    processor.charge(outside.now(), requestFor(card_token, facts))

  async function listen(): Promise<void> {
    await outside.settle()
    received.push(...(await outside.receive()))
  }

  return {
    ...outside,
    received,
    listen,
    openEntry,
    requestFor,
    enterCard,
    charge,
    /** A charge of $12.75 that worked, on a fresh card. */
    async charged(number: string): Promise<{ charge_id: string; card: Card }> {
      const card = await enterCard(number)
      const answer = await charge(card.token)
      if (answer.status !== 'succeeded') throw new Error(`the charge is ${answer.status}`)
      return { charge_id: answer.charge_id, card }
    },
    /** The first event of a kind that fits, waited for over two weeks of the processor's time. */
    async waitForEvent<Kind extends ProcessorEvent['kind']>(
      kind: Kind,
      fits: (event: EventOf<Kind>) => boolean,
    ): Promise<EventOf<Kind>> {
      for (let day = 0; day <= 14; day++) {
        await listen()
        const event = received.find((each): each is EventOf<Kind> => {
          return each.kind === kind && fits(each as EventOf<Kind>)
        })
        if (event) return event
        await outside.pass(DAY_SECONDS)
      }
      throw new Error(`no ${kind} arrived in two weeks`)
    },
  }
}

export type ProcessorSteps = ReturnType<typeof processorSteps>
