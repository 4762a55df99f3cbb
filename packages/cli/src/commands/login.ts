import { spawn } from 'node:child_process'
import { type CallbackServer, openCallback, pastedAnswer } from '../agent/callback.ts'
import { beginSignIn, signOut } from '../agent/sign-in.ts'
import { tokenFile, withTokenLock } from '../agent/token-store.ts'
import type { CommandContext } from '../context.ts'
import { CliError, EXIT, type ExitCode, wrongUse } from '../exit.ts'
import { requireUrl } from '../settings.ts'
import type { Terminal } from '../terminal.ts'

interface LoginOptions {
  scope: string
  browser: boolean
}

const SCOPES = ['integrations.read', 'integrations.write', 'listing.read', 'listing.write']

/** Signs a person in through their browser, and stores the tokens. */
export async function login(context: CommandContext<LoginOptions>): Promise<ExitCode> {
  const { terminal, settings, options } = context
  const url = requireUrl(settings)
  const wanted = scopesIn(options.scope)
  // Before a person allows anything: the tokens must be stored afterwards.
  await withTokenLock(async () => {})
  await using callback = await openCallback()
  const { redirect_uri } = callback
  const begun = await beginSignIn(url, { redirect_uri, scope: wanted.join(' ') })
  terminal.note(`Open this address in your browser:\n\n  ${begun.authorization_url}\n`)
  if (options.browser) openBrowser(begun.authorization_url)
  terminal.progress('Waiting for your browser')
  const answer = options.browser ? callback.answer() : answerFrom(terminal, callback)
  const { scope } = await begun.finish(await answer)
  const lines = [
    terminal.style('green', `Signed in to ${url}.`),
    `Permissions: ${scope.split(' ').join(', ')}`,
    terminal.style('dim', `The tokens are stored in ${tokenFile()}. purser logout revokes them.`),
  ]
  terminal.result({ url, scopes: scope.split(' ') }, lines)
  return EXIT.ok
}

/** The scopes of `--scope`. The service leaves out unknown ones, so a typo is refused here. */
function scopesIn(text: string): string[] {
  const named = text.split(/\s+/).filter((each) => each !== '')
  const unknown = named.find((each) => !SCOPES.includes(each))
  if (named.length > 0 && unknown === undefined) return named
  const fault = unknown === undefined ? 'There is none.' : `"${unknown}" is no scope.`
  const known = SCOPES.join(', ').replace(/, (?=[^,]+$)/, ' and ')
  throw wrongUse(`--scope takes ${known}, with spaces between them. ${fault}`)
}

/** The answer of a browser on this machine or, pasted by a person, of one elsewhere. */
async function answerFrom(terminal: Terminal, callback: CallbackServer): Promise<URL> {
  const start = `${callback.redirect_uri}?`
  terminal.note(
    `If that browser is on another computer, it ends at an address that does not open there.
It begins with ${start}. Copy it, and paste it here within a minute.\n`,
  )
  const asking = new AbortController()
  const pasted = async (): Promise<URL> => {
    for await (const line of terminal.lines('Address', asking.signal)) {
      const answer = pastedAnswer(line)
      if (answer) return answer
      terminal.note(`That is not the address of the sign-in, which begins with ${start}.`)
    }
    // A person pressed Ctrl-D.
    if (process.stdin.isTTY) throw canceled()
    // A pipe or file just has no more lines: the browser may still return.
    return await new Promise(() => {})
  }
  try {
    return await callback.answer(pasted())
  } finally {
    asking.abort()
  }
}

function canceled(): CliError {
  const message =
    'The sign-in was canceled: no address was pasted. Run purser login --no-browser again.'
  return new CliError('sign_in_canceled', message, EXIT.negative)
}

/** Revokes what `login` stored. */
export async function logout({ terminal, settings }: CommandContext): Promise<ExitCode> {
  const url = requireUrl(settings)
  terminal.progress('Signing out')
  const was_signed_in = await signOut(url)
  const text = was_signed_in ? `Signed out of ${url}.` : `You were not signed in to ${url}.`
  terminal.result({ url, was_signed_in }, [text])
  return EXIT.ok
}

/** Opens an address where a browser is; without one, the printed address is enough. */
function openBrowser(url: string): void {
  // cmd.exe would interpret & and ^ of an address, so Windows gets it by its own library.
  const programs: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [url]],
    win32: ['rundll32', ['url.dll,FileProtocolHandler', url]],
  }
  const [program, args] = programs[process.platform] ?? ['xdg-open', [url]]
  const child = spawn(program, args, { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}
