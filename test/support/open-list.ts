import assert from 'node:assert/strict'
import type { Agent, Seen } from './agent.ts'

/** A page of a list, opened in a tab of its own. */
export async function openList(agent: Agent, address: string): Promise<Seen> {
  const page = await agent.twin().open(address)
  assert.equal(page.status, 200)
  return page
}

/** The emails in the list at an address, in order. */
export async function listedEmails(agent: Agent, address: string): Promise<string[]> {
  return (await openList(agent, address)).body.match(/[\w-]+@example\.com(?=<)/g) ?? []
}
