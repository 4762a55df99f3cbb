import { structuredPatch } from 'diff'
import type { Terminal } from '../terminal.ts'
import { comparable } from './file.ts'
import { isSame } from './plan.ts'
import type { AppState } from './state.ts'

/** The lines that differ between two states, with their surroundings, as a unified diff. */
export function diffLines(
  terminal: Pick<Terminal, 'style'>,
  before: AppState,
  after: AppState,
): string[] {
  if (isSame(before, after)) return []
  const texts = [comparable(before), comparable(after)] as const
  const { hunks } = structuredPatch('service', 'file', ...texts, '', '', { context: 2 })
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    terminal.style('cyan', `@@ line ${oldStart} → ${newStart} @@`),
    ...lines
      .filter((line) => !line.startsWith('\\'))
      .map((line) => {
        if (line.startsWith('+')) return terminal.style('green', line)
        return line.startsWith('-') ? terminal.style('red', line) : line
      }),
  ])
}
