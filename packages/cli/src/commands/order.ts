import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode, wrongUse } from '../exit.ts'
import { appClient } from '../settings.ts'
import { columns, secondsText } from '../terminal.ts'
import { licenseLines } from './validate.ts'

const MAX_WAIT_SECONDS = 120

interface OrderOptions {
  showKey?: boolean
  wait: string
}

/** Looks up an order. Exits with 1 while its payment is pending, or if it is unknown. */
export async function order(context: CommandContext<OrderOptions>, ref: string): Promise<ExitCode> {
  const { terminal, settings, options } = context
  const wait_seconds = Number(options.wait)
  if (!(wait_seconds >= 0 && wait_seconds <= MAX_WAIT_SECONDS)) {
    throw wrongUse(`--wait must be a number of seconds, 0 to ${MAX_WAIT_SECONDS}.`)
  }
  const client = await appClient(settings, options, terminal, true)
  terminal.progress('Looking up the order')
  const found = await client.order(ref.trim(), { wait_seconds })
  if (found.status === 'processing') {
    const { retry_after } = found
    const text = `The payment is still processing. Try again in ${secondsText(retry_after)}.`
    terminal.result(found, [terminal.style('yellow', text)])
    return EXIT.negative
  }
  const license_key = options.showKey ? found.license_key : maskKey(found.license_key)
  const hint = options.showKey ? [] : ['Add --show-key to print the whole key.']
  terminal.result({ ...found, license_key }, [
    ...licenseLines(terminal, found),
    ...columns([['Key       ', license_key]]),
    ...hint.map((text) => terminal.style('dim', text)),
  ])
  return found.entitled ? EXIT.ok : EXIT.negative
}

/** The beginning of a key, enough to recognize it. */
export function maskKey(key: string): string {
  return `${key.slice(0, 8)}…`
}
