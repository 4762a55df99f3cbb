import type { Agent } from './agent.ts'
import { enterCard } from './purchase.ts'
import type { TestService } from './service.ts'

/** Test cards by what they do (docs/sandbox.md). */
export const CARD = {
  good: '4242424242424242',
  mastercard: '5555555555554444',
  verifies_only: '4000000000000341',
  asks_always: '4000002760003184',
  loses_answer: '4999990000000015',
  loses_request: '4999990000000023',
  comes_back: '4000000000005126',
  fraudulent: '4000000000000259',
  not_received: '4000000000002685',
  inquiry: '4000000000001976',
  renews_on_retry_1: '4999990000000114',
  renews_on_retry_2: '4999990000000122',
  renews_on_retry_3: '4999990000000130',
  never_renews: '4999990000000197',
} as const

/** Goes from the confirmation page to the card page, enters another card and confirms again. */
export async function payWithAnotherCard({ clock }: TestService, agent: Agent, card?: string) {
  clock.pass(5)
  await agent.press('Use another card')
  await enterCard(agent, card)
  return await agent.submit(/^Pay /)
}
