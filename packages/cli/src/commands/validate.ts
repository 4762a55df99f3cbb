import type { LicenseState } from '@purser/client'
import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode, wrongUse } from '../exit.ts'
import { appClient } from '../settings.ts'
import { columns, type Terminal } from '../terminal.ts'

/** Validates a license key. Exits with 1 if it is unknown or not entitled. */
export async function validate(context: CommandContext, given?: string): Promise<ExitCode> {
  const { terminal, settings, options } = context
  const read = given === undefined || given === '-' ? await terminal.readInput() : given
  const key = read.trim()
  if (key === '') throw wrongUse('Give a license key, as an argument or on stdin.')
  const client = await appClient(settings, options, terminal, true)
  terminal.progress('Validating')
  const state = await client.validate(key)
  terminal.result(state, licenseLines(terminal, state))
  return state.entitled ? EXIT.ok : EXIT.negative
}

/** A license for people to read. */
export function licenseLines(terminal: Terminal, state: LicenseState): string[] {
  const { entitled, status, license_id, product_public_id, period_end, canceled_at } = state
  const verdict = entitled
    ? terminal.style(['green', 'bold'], 'Entitled')
    : terminal.style(['red', 'bold'], 'Not entitled')
  const rows = [
    ['Plan', product_public_id],
    ['License', license_id],
    ['Period end', period_end ?? 'none'],
    ...(canceled_at ? [[entitled ? 'Ends' : 'Canceled', canceled_at]] : []),
  ]
  return [`${verdict} (${status})`, ...columns(rows)]
}
