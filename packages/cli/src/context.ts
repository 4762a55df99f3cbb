import type { GlobalOptions, Settings } from './settings.ts'
import type { Terminal } from './terminal.ts'

/** What a command gets: its options, where the service is, and where to write. */
export interface CommandContext<Options = unknown> {
  options: GlobalOptions & Options
  settings: Settings
  terminal: Terminal
}
