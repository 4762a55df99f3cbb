/** The commands and their options. */
import { Command, CommanderError } from 'commander'
import { doctor } from './commands/doctor.ts'
import { links } from './commands/links.ts'
import { login, logout } from './commands/login.ts'
import { order } from './commands/order.ts'
import { pull } from './commands/pull.ts'
import { push } from './commands/push.ts'
import { scenario } from './commands/scenario.ts'
import { tail } from './commands/tail.ts'
import { validate } from './commands/validate.ts'
import type { CommandContext } from './context.ts'
import { asCliError, EXIT, type ExitCode, wrongUse } from './exit.ts'
import { DEFAULT_FILE } from './listing/file.ts'
import { type GlobalOptions, readSettings } from './settings.ts'
import { openTerminal } from './terminal.ts'
import { VERSION } from './version.ts'

const A_FILE = `a file (default: ${DEFAULT_FILE})`

const NOTES = `
Environment:
  PURSER_SIGN_IN_FILE  the file in which login stores its tokens, such as for CI

Exit codes:
  0  done, and the answer is yes
  1  the answer is no: not entitled, unknown, pending, or a check failed
  2  wrong arguments, settings or file
  3  the service refused
  4  the service is unreachable or limits you; try again later
  5  sign in first: purser login
  6  a conflict: the app or the file has changes that would be lost`

/** Runs the program with its arguments. Returns the exit code; errors are reported, not thrown. */
export async function runProgram(args: string[]): Promise<ExitCode> {
  // Read before the arguments are, so that an error in them is JSON too.
  const end = args.indexOf('--')
  const terminal = openTerminal((end === -1 ? args : args.slice(0, end)).includes('--json'))
  let exit: ExitCode = EXIT.ok
  const program = buildProgram(async (command, run, values) => {
    const options = command.optsWithGlobals<GlobalOptions>()
    exit = await run({ options, terminal, settings: readSettings(options) }, ...values)
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok
      // Without a command the help was printed.
      if (error.code === 'commander.help') return EXIT.usage
      terminal.error(wrongUse(error.message.replace(/^error: /, '')))
      return EXIT.usage
    }
    const known = asCliError(error)
    if (known) {
      terminal.error(known)
      return known.exit
    }
    if (terminal.is_json) terminal.result({ error: 'internal', message: 'An error of purser.' }, [])
    console.error(error)
    return EXIT.internal
  }
}

type Run = (context: CommandContext<never>, ...values: never[]) => Promise<ExitCode>
type Start = (
  command: Command,
  run: (context: CommandContext, ...values: unknown[]) => Promise<ExitCode>,
  values: unknown[],
) => Promise<void>

function buildProgram(start: Start): Command {
  const program = new Command('purser')
    .description('Check your integration with Purser, and edit your listing and prices as a file.')
    .version(VERSION)
    .option('--json', 'print one JSON document on stdout')
    .option('--url <url>', 'the URL of the service (PURSER_URL)')
    .option('--client-id <id>', "the app's client ID (PURSER_CLIENT_ID)")
    .option('--app <slug>', 'the app, if you have several (PURSER_APP)')
    .option('--project <file>', 'the file with url, client_id and app (purser.json)')
    .option('--secret-file <file>', 'a file with the client secret (PURSER_CLIENT_SECRET)')
    .addHelpText('after', NOTES)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  const add = (usage: string, description: string, run: Run): Command => {
    const command = program.command(usage).description(description).exitOverride()
    command.configureOutput({ outputError: () => {} })
    return command.action(async (...values: unknown[]) => {
      await start(command, run as never, values.slice(0, -2))
    })
  }
  addChecks(add)
  addAgentCommands(add)
  addTestCommands(add)
  return program
}

function addChecks(add: (usage: string, description: string, run: Run) => Command): void {
  add('doctor', 'check the settings, the app, its prices and its credentials', doctor)
  add('validate [key]', 'check a license key (- or no argument: read from stdin)', validate)
  add('order <ref>', 'look up the license of an order reference (svc_order)', order)
    .option('--show-key', 'print the whole license key')
    .option('--wait <seconds>', 'how long to wait for a pending payment', '5')
  add('links', "build the app's buy links and its manage link, and check them", links)
    .option('--next <url>', 'where the buyer returns')
    .option('--ref <code>', 'an affiliate code')
    .option('--email <address>', "prefills the buyer's email")
    .option('--discount <code>', 'a discount code')
    .option('--no-check', 'build the links without opening them')
}

function addAgentCommands(add: (usage: string, description: string, run: Run) => Command): void {
  add('login', 'sign in to read and edit your apps', login)
    .option('--scope <scopes>', 'the scopes to request', 'integrations.read listing.write')
    .option('--no-browser', 'print the URL, for a browser on any computer')
  add('logout', 'revoke and delete what login stored', logout)
  add('pull [file]', `write the listing, plans and prices of an app to ${A_FILE}`, pull).option(
    '--force',
    'overwrite changes in the file, or the file of another app',
  )
  add('push [file]', `show the changes of ${A_FILE}, and write them to the service`, push)
    .option('--dry-run', 'show the changes only')
    .option('--yes', 'skip the confirmation')
    .option('--force', 'overwrite what changed on the service since the last pull')
}

function addTestCommands(add: (usage: string, description: string, run: Run) => Command): void {
  add('scenario [name]', 'run a test mode scenario, or list them', scenario)
    .option('--price <id>', 'the price to buy (default: the first one that fits)')
    .option('--retry <number>', 'the retry that succeeds, for the scenario "recovered"')
    .option('--show-key', 'print the whole license key')
  add('tail', "follow the app's events in test mode, until Ctrl-C", tail)
    .option('--events <count>', 'how many past events to print first', '10')
    .option('--interval <seconds>', 'how often to check', '2')
    .option('--no-follow', 'print the past events only')
}
