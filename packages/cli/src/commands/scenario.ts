import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { columns, type Terminal } from '../terminal.ts'
import {
  openTestMode,
  Retryable,
  type RunState,
  type ScenarioFacts,
  type SendTest,
  waitFor,
} from '../test-mode.ts'
import { maskKey } from './order.ts'

interface ScenarioOptions {
  price?: string
  retry?: string
  showKey?: boolean
}

/** Runs a scenario of test mode, or lists them. Exits with 1 if it stops before its last step. */
export async function scenario(
  context: CommandContext<ScenarioOptions>,
  name?: string,
): Promise<ExitCode> {
  const { terminal, options } = context
  const send = await openTestMode(context)
  if (name === undefined) {
    const { body } = await send<{ scenarios: ScenarioFacts[] }>('/scenarios')
    terminal.result(body, scenarioLines(terminal, body.scenarios))
    return EXIT.ok
  }
  const { price: price_id, retry } = options
  const asked = { scenario: name, ...(price_id && { price_id }), ...(retry && { retry }) }
  terminal.progress(`Running ${name}`)
  let { body: run, retry_seconds } = await send<RunState>('/scenario-runs', { body: asked })
  while (run.status === 'running') {
    terminal.progress(run.note || `Running ${name}`)
    await sleep((retry_seconds ?? 1) * 1000)
    ;({ body: run, retry_seconds } = await readRun(terminal, send, run.id))
  }
  const license_key =
    run.license_key && (options.showKey ? run.license_key : maskKey(run.license_key))
  const ended = { ...run, license_key }
  terminal.result(ended, runLines(terminal, ended))
  return run.status === 'completed' ? EXIT.ok : EXIT.negative
}

/** How often in a row the service may not answer before the command gives up. */
const MAX_OUTAGES = 10

/** Reads a run. It continues while the service does not answer, so this asks again. */
async function readRun(terminal: Terminal, send: SendTest, id: string) {
  for (let outages = 1; ; outages++) {
    try {
      return await send<RunState>(`/scenario-runs/${id}`)
    } catch (error) {
      if (!(error instanceof Retryable) || outages === MAX_OUTAGES) throw error
      await waitFor(error, terminal)
    }
  }
}

function scenarioLines(terminal: Terminal, scenarios: ScenarioFacts[]): string[] {
  return scenarios.flatMap(({ name, title, description, needs_renewal, retries }) => [
    `${terminal.style('bold', name)}  ${title}`,
    `  ${description}`,
    ...(needs_renewal ? [terminal.style('dim', '  Needs a recurring price.')] : []),
    ...(retries.length > 0 ? [terminal.style('dim', `  --retry ${retries.join(', ')}`)] : []),
  ])
}

function runLines(terminal: Terminal, run: RunState): string[] {
  const { scenario, status, note, license_status, license_id, license_key } = run
  const style = status === 'completed' ? 'green' : 'red'
  const facts = [
    ['License', license_id],
    ['Status', license_status],
    ['Key', license_key],
  ].filter((row): row is [string, string] => row[1] !== null)
  const head = `${terminal.style(style, status)}  ${scenario}`
  return [head, ...(note ? [`  ${note}`] : []), ...columns(facts)]
}
