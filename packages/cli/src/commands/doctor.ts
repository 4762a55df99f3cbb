import type { CommandContext } from '../context.ts'
import { type CheckResult, checkAll } from '../doctor/checks.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import type { Terminal } from '../terminal.ts'

/** Checks an integration and says what to do. Exits with 1 if a check fails. */
export async function doctor(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  const results = await checkAll(context, (what) => terminal.progress(`Checking ${what}`))
  const count = (wanted: CheckResult['status']) =>
    results.filter(({ status }) => status === wanted).length
  const failed = count('failed')
  const verdict =
    failed === 0
      ? terminal.style(['green', 'bold'], verdictOn(count('warning'), count('skipped')))
      : terminal.style(['red', 'bold'], `${failed} of ${results.length} checks failed.`)
  terminal.result({ ok: failed === 0, checks: results }, [
    ...results.flatMap((result) => resultLines(terminal, result)),
    '',
    verdict,
  ])
  return failed === 0 ? EXIT.ok : EXIT.negative
}

/** The verdict on checks of which none failed. */
function verdictOn(warnings: number, skipped: number): string {
  if (warnings + skipped === 0) return 'Every check passed.'
  const parts = [
    ...(warnings > 0 ? [`${warnings} with a warning`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return `No check failed: ${parts.join(', ')}.`
}

const MARKS = {
  passed: { mark: '✓', style: 'green' },
  warning: { mark: '!', style: 'yellow' },
  failed: { mark: '✗', style: 'red' },
  skipped: { mark: '-', style: 'dim' },
} as const

function resultLines(terminal: Terminal, { status, title, detail, fix }: CheckResult): string[] {
  const { mark, style } = MARKS[status]
  const first = `${terminal.style(style, mark)} ${title}: ${detail}`
  return fix === null ? [first] : [first, `  ${fix}`]
}
