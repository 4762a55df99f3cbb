import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import type { Agent, Seen } from './agent.ts'

/** A downloaded export. */
export interface Exported {
  /** The address of the task's page. */
  task_url: string
  file: Seen
  rows: Record<string, string>[]
}

/** Presses the button of an export on the agent's page, waits for the file and downloads it. */
export async function exportBy(agent: Agent, button: string): Promise<Exported> {
  await agent.runTask(button)
  assert.match(agent.text, /Your export is ready/)
  const task_url = agent.page.url.replace(/ready\/$/, '')
  const file = await agent.press('Download')
  return { task_url, file, rows: parse(file.body, { columns: true }) }
}
