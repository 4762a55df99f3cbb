import { execFile } from 'node:child_process'
import { devNull } from 'node:os'

/** How a command ended, and what it printed. */
export interface EndedCommand {
  /** The exit code; -1 if a signal ended it. */
  status: number
  out: string
  error: string
}

/** Runs a command of an operator, `scripts/<name>.ts`, with settings, as npm does. */
export function runCommand(
  name: string,
  settings: Record<string, string>,
  ...args: string[]
): Promise<EndedCommand> {
  return runProgram(`scripts/${name}.ts`, settings, ...args)
}

/** Runs the program of a command with settings, as npm does. */
export function runProgram(
  path: string,
  settings: Record<string, string>,
  ...args: string[]
): Promise<EndedCommand> {
  const program = ['--import', './scripts/register-tsx.mjs', path, ...args]
  const env = { PATH: process.env.PATH, ENV_FILE: devNull, ...settings }
  return new Promise((resolve) => {
    execFile(process.execPath, program, { env }, (failed, out, error) =>
      resolve({ status: failed ? Number(failed.code ?? -1) : 0, out, error }),
    )
  })
}
