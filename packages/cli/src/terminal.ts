/** What a command reads and writes: results on stdout, messages and questions on stderr. */
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type { ReadStream, WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { type CliError, EXIT } from './exit.ts'

type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'

export interface Terminal {
  readonly is_json: boolean
  /** Whether a person can answer questions. */
  readonly is_interactive: boolean
  /** Colors a text for stdout, where stdout shows colors (NO_COLOR, FORCE_COLOR, TTY). */
  style(style: Style | Style[], text: string): string
  /** Writes the result: the document with `--json`, else the lines. */
  result(document: object, lines: string[]): void
  /** Writes one event of a stream: a JSON line with `--json`, else the line. */
  event(document: object, line: string): void
  /** Writes a message to stderr. */
  note(text: string): void
  /** Shows what is under way, on a terminal only, until the next output. */
  progress(text: string): void
  /** Reports an error: on stderr, and as the JSON document with `--json`. */
  error(error: CliError): void
  confirm(question: string): Promise<boolean>
  /** Asks for a value without showing it. */
  askSecret(question: string): Promise<string>
  /** The lines of stdin as they come, until the signal; asks for each on a terminal. */
  lines(question: string, signal: AbortSignal): AsyncIterable<string>
  /** All of stdin; empty if it is a terminal. */
  readInput(): Promise<string>
}

/** The terminal of this process. */
export function openTerminal(is_json: boolean): Terminal {
  const { stdin, stdout, stderr } = process as {
    stdin: ReadStream
    stdout: WriteStream
    stderr: WriteStream
  }
  let shown = false
  const clear = () => {
    if (shown) stderr.write('\r\x1b[K')
    shown = false
  }
  // One style at a time: Node 20 colors a list of styles where the stream shows no colors.
  const paint = (style: Style | Style[], value: string, stream: WriteStream) =>
    [style].flat().reduceRight((text, each) => styleText(each, text, { stream }), value)
  return {
    is_json,
    is_interactive: Boolean(stdin.isTTY && stderr.isTTY && !is_json),
    style: (style, value) => paint(style, value, stdout),
    result(document, lines) {
      clear()
      stdout.write(`${is_json ? JSON.stringify(document, null, 2) : lines.join('\n')}\n`)
    },
    event(document, line) {
      clear()
      stdout.write(`${is_json ? JSON.stringify(document) : line}\n`)
    },
    note(value) {
      clear()
      stderr.write(`${value}\n`)
    },
    progress(value) {
      if (!stderr.isTTY) return
      clear()
      stderr.write(paint('dim', `${value} …`, stderr))
      shown = true
    },
    error(error) {
      clear()
      const { code, message, fields, request_id } = error
      if (is_json) {
        const more = { ...(fields.length > 0 && { fields }), ...(request_id && { request_id }) }
        stdout.write(`${JSON.stringify({ error: code, message, ...more }, null, 2)}\n`)
      }
      stderr.write(`${paint('red', 'Error:', stderr)} ${message}\n`)
      for (const field of fields) stderr.write(`  ${field.path}: ${field.message}\n`)
      if (request_id) stderr.write(`${paint('dim', `Request ${request_id}`, stderr)}\n`)
    },
    confirm: (question) => {
      clear()
      return askYes(stdin, stderr, question)
    },
    askSecret: (question) => {
      clear()
      return askHidden(stdin, stderr, question)
    },
    lines: (question, signal) => {
      clear()
      return askLines(stdin, stderr, question, signal)
    },
    async readInput() {
      return stdin.isTTY ? '' : await text(stdin)
    },
  }
}

/** Asks a question that `y` or `yes` agrees to. */
async function askYes(stdin: ReadStream, stderr: WriteStream, question: string) {
  const lines = createInterface({ input: stdin, output: stderr })
  lines.once('SIGINT', () => process.exit(EXIT.interrupted))
  // Ctrl-D ends the input without an answer, and the question without a line break.
  const answer = await lines.question(`${question} [y/N] `).catch(() => {
    stderr.write('\n')
    return ''
  })
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** Asks on a terminal for one line after another; elsewhere, only reads them. */
async function* askLines(
  stdin: ReadStream,
  stderr: WriteStream,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const output = stdin.isTTY ? stderr : undefined
  const lines = createInterface({ input: stdin, output, prompt: `${question}: ` })
  lines.once('SIGINT', () => process.exit(EXIT.interrupted))
  const stop = () => {
    output?.write('\n')
    lines.close()
  }
  signal.addEventListener('abort', stop)
  lines.prompt()
  try {
    for await (const line of lines) {
      yield line
      lines.prompt()
    }
    // Ctrl-D leaves the question without a line break.
    if (!signal.aborted) output?.write('\n')
  } finally {
    signal.removeEventListener('abort', stop)
    lines.close()
  }
}

/** Reads a line in raw mode, so that the terminal does not show it. */
async function askHidden(stdin: ReadStream, stderr: WriteStream, question: string) {
  // Before the question: a text that is pasted as soon as it appears must not be shown either.
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stderr.write(`${question}: `)
  let typed = ''
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (['\r', '\n', '\x04'].includes(character)) return typed
        if (character === '\x03') process.exit(EXIT.interrupted)
        typed = character === '\x7f' ? typed.slice(0, -1) : typed + character
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

/** A number of seconds in words: "1 second", "20 seconds". */
export function secondsText(count: number): string {
  return `${count} second${count === 1 ? '' : 's'}`
}

/** Rows as indented columns: `[['Plan', 'Pro']]` becomes `  Plan  Pro`. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? '').length)),
  )
  return rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
}
