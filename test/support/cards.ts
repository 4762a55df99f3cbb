import type { Agent } from './agent.ts'
import { enterCard } from './purchase.ts'
import type { TestService } from './service.ts'

/** Goes from the confirmation page to the card page, enters another card and confirms again. */
export async function payWithAnother({ clock }: TestService, agent: Agent, card?: string) {
  clock.pass(5)
  await agent.press('Use another card')
  await enterCard(agent, card)
  return await agent.submit(/^Pay /)
}
