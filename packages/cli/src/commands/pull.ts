import { existsSync } from 'node:fs'
import { findOwnApp } from '../agent/apps.ts'
import { openAgent } from '../agent/mcp.ts'
import type { CommandContext } from '../context.ts'
import { CliError, EXIT, type ExitCode, wrongUse } from '../exit.ts'
import {
  DEFAULT_FILE,
  type ListingFile,
  readListingFile,
  requireSameApp,
  writeState,
} from '../listing/file.ts'
import { fingerprint } from '../listing/fingerprint.ts'
import { isSame, wantedState } from '../listing/plan.ts'
import { diffLines } from '../listing/show.ts'
import { type AppState, readState } from '../listing/state.ts'
import { requireUrl } from '../settings.ts'

interface PullOptions {
  force?: boolean
}

/** Writes an app to a file. Asks before it overwrites local changes, unless `force` is set. */
export async function pull(
  context: CommandContext<PullOptions>,
  path: string = DEFAULT_FILE,
): Promise<ExitCode> {
  const { terminal, settings } = context
  const call = openAgent(requireUrl(settings), terminal.note)
  terminal.progress('Reading the app')
  const existing = readExisting(path, context.options)
  if (existing && !context.options.force) {
    const next = 'pull to another file, or replace it with purser pull --force.'
    requireSameApp(settings.app, existing, next)
  }
  const named = existing && { ...settings, app: settings.app ?? existing.content.app }
  const app = await findOwnApp(call, named ?? settings)
  const state = await readState(call, app.slug)
  const before = existing && wantedState(existing.content, state)
  const isEdited = before !== undefined && fingerprint(before) !== existing?.content.pulled
  const changes = before && !isSame(before, state) ? diffLines(terminal, before, state) : []
  if (isEdited && changes.length > 0 && !context.options.force) {
    await confirmOverwrite(context, path, changes)
  }
  const previous = existing?.content.app === app.slug ? existing.document : undefined
  writeState(path, state, app.slug, previous)
  const counts = countsOf(state)
  const isSilent = isEdited && changes.length > 0 && !context.options.force
  terminal.result({ app: app.slug, file: path, ...counts }, [
    ...(isSilent ? [] : changes),
    terminal.style('green', `Wrote ${app.name} to ${path}`) +
      ` (plans: ${counts.versions}, sections: ${counts.sections}, feature rows: ${counts.features}).`,
  ])
  return EXIT.ok
}

/** The file that a pull would overwrite; undefined without one, or if it is replaced unread. */
function readExisting(path: string, { force = false }: PullOptions): ListingFile | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readListingFile(path)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (force) return undefined
    const next = 'Correct it, or replace it with purser pull --force.'
    // An error of YAML ends with the line that is wrong.
    const message = error.message.trimEnd()
    throw wrongUse(`${message}${message.includes('\n') ? '\n' : ' '}${next}`, error.fields)
  }
}

async function confirmOverwrite(
  { terminal }: CommandContext<PullOptions>,
  path: string,
  changes: string[],
): Promise<void> {
  const message = `${path} has changes that were not pushed. Push them, or pull with --force.`
  if (!terminal.is_interactive) throw new CliError('file_edited', message, EXIT.conflict)
  terminal.note(`${changes.join('\n')}\n`)
  if (await terminal.confirm(`Overwrite ${path}, which has changes that were not pushed?`)) return
  throw new CliError('file_edited', 'Nothing was written.', EXIT.negative)
}

function countsOf({ versions, sections, features }: AppState) {
  return { versions: versions.length, sections: sections.length, features: features.length }
}
