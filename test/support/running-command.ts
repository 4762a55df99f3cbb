/** Commands that a test starts and reads while they run. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { devNull } from 'node:os'

/** How a command ended. */
export interface CommandEnd {
  code: number
  stdout: string
  stderr: string
  /** The document of `--json`. Throws if stdout is not one JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  json: any
}

/** A command that runs. */
export interface RunningCommand {
  /** Waits until stderr or stdout matches. */
  seen(pattern: RegExp): Promise<RegExpExecArray>
  end: Promise<CommandEnd>
  stop(signal: NodeJS.Signals): void
}

/** A command whose questions a person answers. */
export interface TypedCommand extends RunningCommand {
  type(text: string): void
}

/** Starts a command with this input. */
export function started(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
  input = '',
): RunningCommand {
  const child = spawn(program, args, { ...options, stdio: 'pipe' })
  child.stdin.end(input)
  return watched(child)
}

/** Starts a command whose input stays open. */
export function startedToType(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
): TypedCommand {
  const child = spawn(program, args, { ...options, stdio: 'pipe' })
  return { ...watched(child), type: (text) => child.stdin.write(text) }
}

/** Starts a command on a pseudo terminal, where a person answers; all output is `stdout`. */
export function startedOnTerminal(
  command: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): TypedCommand {
  const line = command.map((word) => `'${word}'`).join(' ')
  const options = ['--quiet', '--flush', '--return', '--command', line, devNull]
  const child = spawn('script', options, {
    cwd,
    env: { TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: 'pipe',
  })
  return { ...watched(child), type: (text) => child.stdin.write(text) }
}

function watched(child: ChildProcessWithoutNullStreams): RunningCommand {
  let [stdout, stderr] = ['', '']
  const watchers = new Set<() => void>()
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    for (const watch of watchers) watch()
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
    for (const watch of watchers) watch()
  })
  const end = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      for (const watch of watchers) watch()
      const json = { get: () => JSON.parse(stdout), enumerable: false }
      const facts = { code: code ?? -1, stdout, stderr }
      resolve(Object.defineProperty(facts, 'json', json) as CommandEnd)
    })
  })
  return {
    end,
    stop: (signal) => child.kill(signal),
    seen: async (pattern) =>
      await new Promise((resolve, reject) => {
        const watch = () => {
          const found = pattern.exec(stdout) ?? pattern.exec(stderr)
          if (found) resolve(found)
          else if (hasEnded()) reject(new Error(`ended: ${stdout}${stderr}`))
        }
        watchers.add(watch)
        watch()
      }),
  }
}
