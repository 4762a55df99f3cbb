import { findOwnApp, type OwnApp } from '../agent/apps.ts'
import { type CallTool, openAgent } from '../agent/mcp.ts'
import type { CommandContext } from '../context.ts'
import { CliError, EXIT, type ExitCode, wrongUse } from '../exit.ts'
import {
  DEFAULT_FILE,
  type ListingFile,
  noteWritten,
  readListingFile,
  requireSameApp,
} from '../listing/file.ts'
import { fingerprint, foreignParts } from '../listing/fingerprint.ts'
import { isSame, unknownPlans, wantedState } from '../listing/plan.ts'
import { isWritten, type Receipt, rehearse, type Writer, writeAll } from '../listing/push.ts'
import { diffLines } from '../listing/show.ts'
import { type AppState, readState } from '../listing/state.ts'
import { requireUrl } from '../settings.ts'
import type { Terminal } from '../terminal.ts'

interface PushOptions {
  dryRun?: boolean
  yes?: boolean
  force?: boolean
}

/** Shows what a file changes on the service, asks, and writes what changed. */
export async function push(
  context: CommandContext<PushOptions>,
  path: string = DEFAULT_FILE,
): Promise<ExitCode> {
  const { terminal, settings } = context
  return await pushFile(openAgent(requireUrl(settings), terminal.note), context, path)
}

/**
 * Pushes a file through the agent endpoint. It can be repeated: after a push that was interrupted
 * between two writes, the same file writes what is missing.
 */
export async function pushFile(
  call: CallTool,
  context: CommandContext<PushOptions>,
  path: string,
): Promise<ExitCode> {
  const { terminal, settings, options } = context
  const file = readListingFile(path)
  // The other app would get the texts of this one.
  requireSameApp(settings.app, file, `or push the file of ${settings.app}.`)
  terminal.progress('Reading the app')
  const app = await findOwnApp(call, { ...settings, app: file.content.app })
  const remote = await readState(call, app.slug)
  const wanted = wantedState(file.content, remote)
  if (isSame(remote, wanted)) return nothingToPush(terminal, app, file, remote)
  const foreign = options.force ? [] : foreignParts(file.content.pulled, remote, wanted)
  const faults = unknownPlans(wanted)
  if (faults.length > 0) {
    if (foreign.length > 0) throw conflict(path)
    throw wrongUse(`${path} is invalid. Nothing was saved.`, faults)
  }
  const writer: Writer = { call, app_slug: app.slug, remote, wanted }
  terminal.progress('Checking the changes')
  const planned = await checked(writer, foreign, path)
  const shown = [...diffLines(terminal, remote, wanted), ...consequences(terminal, planned)]
  if (options.dryRun) {
    terminal.result(documentOf(app, planned, true), [...shown, '', 'Nothing was saved (dry run).'])
    return EXIT.ok
  }
  if (!options.yes) await confirmed(context, shown)
  // A person may have taken minutes to answer.
  else if (!terminal.is_json) terminal.note(shown.join('\n'))
  if (!options.yes && !isSame(await readState(call, app.slug), remote)) throw conflict(path)
  const receipts: Receipt[] = []
  try {
    await writeAll(writer, (receipt) => {
      receipts.push(receipt)
      terminal.progress(`Wrote ${receipt.tool}`)
    })
  } catch (error) {
    // The error is what a person must know, and the next push finds what this one wrote.
    if (receipts.length > 0) await noteFinished(call, app, file).catch(() => {})
    throw error
  }
  if (receipts.length > 0) noteSaved(file, await readState(call, app.slug))
  terminal.result(documentOf(app, receipts, false), receiptLines(terminal, app, receipts))
  return EXIT.ok
}

async function noteFinished(call: CallTool, { slug }: OwnApp, file: ListingFile): Promise<void> {
  noteWritten(file, await readState(call, slug))
}

/** Notes in the file what the service has. Throws CliError if the file cannot be written. */
function noteSaved(file: ListingFile, state: AppState): void {
  try {
    noteWritten(file, state)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message = `The service has the changes, but ${file.path} cannot be written (${code}). Push it again, so that the IDs of new plans are in it.`
    throw new CliError('file_not_written', message, EXIT.usage)
  }
}

function nothingToPush(
  terminal: Terminal,
  app: OwnApp,
  file: ListingFile,
  remote: AppState,
): ExitCode {
  if (file.content.pulled !== fingerprint(remote)) noteSaved(file, remote)
  terminal.result(documentOf(app, [], false), [`${app.name} is the same as ${file.path}.`])
  return EXIT.ok
}

/** What each call would change. Throws a conflict if parts are what no push of this file wrote. */
async function checked(writer: Writer, foreign: string[], path: string): Promise<Receipt[]> {
  try {
    const rehearsed = await rehearse(writer)
    if (!isWritten(foreign, rehearsed)) throw conflict(path)
    return rehearsed.map(({ receipt }) => receipt)
  } catch (error) {
    const isRefused = error instanceof CliError && error.code === 'invalid_request'
    throw isRefused && foreign.length > 0 ? conflict(path) : error
  }
}

function conflict(path: string): CliError {
  const message = `The app has changed on the service since ${path} was pulled. Pull it to another file and compare, or push with --force.`
  return new CliError('conflict', message, EXIT.conflict)
}

async function confirmed({ terminal }: CommandContext<PushOptions>, shown: string[]) {
  if (!terminal.is_interactive) {
    const message = 'Nothing was saved. Add --yes to push without confirmation, or --dry-run.'
    throw new CliError('confirmation_required', message, EXIT.usage)
  }
  terminal.note(`${shown.join('\n')}\n`)
  if (await terminal.confirm('Save these changes? They are effective immediately.')) return
  throw new CliError('not_confirmed', 'Nothing was saved.', EXIT.negative)
}

/** What a diff does not say: removed items, Buy links that stop working, what cannot be undone. */
function consequences(terminal: Terminal, planned: Receipt[]): string[] {
  const removed = planned.flatMap((each) => each.removed)
  const dead = planned.flatMap((each) => each.dead_buy_links)
  const warnings = planned.flatMap((each) => each.warnings)
  const list = (title: string, items: string[]) =>
    items.length === 0
      ? []
      : ['', terminal.style('bold', title), ...items.map((item) => `  ${item}`)]
  return [
    ...list(
      'Removed',
      removed.map(({ kind, name }) => `${kind.replaceAll('_', ' ')}: ${name}`),
    ),
    ...list(
      'Buy links that stop working',
      dead.map((id) => terminal.style('red', `/buy/${id}/`)),
    ),
    ...list('Warnings', warnings),
  ]
}

function documentOf({ slug }: OwnApp, changes: Receipt[], dry_run: boolean) {
  return { app: slug, dry_run, changes }
}

function receiptLines(terminal: Terminal, { name }: OwnApp, receipts: Receipt[]): string[] {
  return [
    terminal.style('green', `Saved ${name}.`),
    ...receipts.map(({ tool, audit_id }) => `  ${tool}  ${audit_id ?? 'no change'}`),
    terminal.style('dim', 'You can undo each change under Changes on the dashboard.'),
  ]
}
