/**
 * Asks for the settings of the operator (legal name, address, support email and so on) and writes
 * them to the file that `npm start` reads: `.env` in the current folder, or `ENV_FILE`. Other lines
 * of the file stay as they are.
 *
 * `npm run setup` asks. Flags answer ahead:
 * `npm run setup -- --operator-name="Harbor Software, Inc."`. Without a terminal nothing is asked;
 * what is then missing is named.
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { parseEnv } from 'node:util'
import { envFileOf } from '#platform/env-file'
import {
  OPERATOR_QUESTIONS,
  OPERATOR_SETTINGS,
  type OperatorQuestion,
  type OperatorSettings,
} from '#platform/operator'
import { readArguments } from './read-arguments.ts'

/** An invalid answer or file; its message names the flag or the setting. */
class SetupError extends Error {}

const flagOf = ({ variable }: OperatorQuestion) => variable.toLowerCase().replaceAll('_', '-')

async function main(): Promise<void> {
  const file = envFileOf(process.env)
  const text = readIfThere(file)
  const flags = readFlags()
  const answers: OperatorSettings = { ...parseEnv(text), ...flags }
  const prompt = process.stdin.isTTY
    ? createInterface({ input: process.stdin, output: process.stdout })
    : undefined
  const faults: string[] = []
  for (const question of OPERATOR_QUESTIONS) {
    const { variable } = question
    if (prompt && flags[variable] === undefined) {
      answers[variable] = await ask(prompt, question, answers[variable])
    }
    const fault = faultOf(question, answers[variable])
    if (fault) faults.push(`--${flagOf(question)}: ${fault}`)
  }
  prompt?.close()
  if (faults.length > 0) throw new SetupError(`Nothing was saved.\n  ${faults.join('\n  ')}`)
  save(file, withSettings(text, answers))
  console.log(`Saved to ${file}. Restart the service to apply it.`)
}

function usage(): string {
  const flags = OPERATOR_QUESTIONS.map(
    (question) => `  --${flagOf(question)}=${JSON.stringify(question.example)}`,
  )
  return `Usage: npm run setup [-- --operator-name=NAME ...]

Asks for the settings of the operator and writes them to the file that npm start reads. Flags answer
ahead. Without a terminal nothing is asked; what is then missing is named.

${flags.join('\n')}`
}

function readFlags(): OperatorSettings {
  const options = Object.fromEntries(
    OPERATOR_QUESTIONS.map((question) => [flagOf(question), { type: 'string' as const }]),
  )
  const { values } = readArguments(usage(), { options })
  return Object.fromEntries(
    OPERATOR_QUESTIONS.map((question) => [question.variable, values[flagOf(question)]]).filter(
      ([, value]) => value !== undefined,
    ),
  )
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new SetupError(`ENV_FILE: ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Replaces the file at once: a full disk must not leave a part of it, as it has SECRET_KEY. */
function save(file: string, text: string): void {
  const target = targetOf(file)
  const beside = `${target}.${randomUUID()}`
  try {
    writeFileSync(beside, text, { mode: 0o600, flush: true })
    const present = statSync(target, { throwIfNoEntry: false })
    if (present) {
      chownSync(beside, present.uid, present.gid)
      chmodSync(beside, present.mode)
    }
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    throw new SetupError(`ENV_FILE: ${file} cannot be written: ${(error as Error).message}`)
  }
}

/** The file that a symbolic link leads to, whether it exists or not. */
function targetOf(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
  return targetOf(resolve(realpathSync(dirname(file)), readlinkSync(file)))
}

/** Ends without saving: the person pressed Ctrl-C or Ctrl-D. */
function leave(): never {
  console.error('\nNothing was saved.')
  process.exit(130)
}

/** Asks until the answer is valid; an empty one keeps the current value. */
async function ask(
  prompt: Interface,
  question: OperatorQuestion,
  present: string | undefined,
): Promise<string | undefined> {
  const hint = present ? `[${present}]` : `(for example: ${question.example})`
  while (true) {
    const typed = await prompt.question(`${question.question} ${hint}: `).catch(leave)
    const answer = typed.trim() || present
    const fault = faultOf(question, answer)
    if (!fault) return answer
    console.log(`  It ${fault}.`)
  }
}

function faultOf({ variable, optional }: OperatorQuestion, value?: string): string | undefined {
  if (!value) return optional ? undefined : 'must be set'
  return OPERATOR_SETTINGS[variable].safeParse(value).error?.issues[0]?.message
}

/** The file's text with these settings: known lines replaced, new ones at the end. */
function withSettings(text: string, settings: OperatorSettings): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  for (const { variable } of OPERATOR_QUESTIONS) {
    const value = settings[variable]
    if (value === undefined) continue
    const written = `${variable}=${quoted(value)}`
    const at = lines.findIndex((each) =>
      new RegExp(`^\\s*(export\\s+)?${variable}\\s*=`).test(each),
    )
    if (at === -1) lines.push(written)
    else lines[at] = written
  }
  return `${lines.join('\n')}\n`
}

/** A value in quotes that it does not contain, so that nothing in it is special. */
function quoted(value: string): string {
  const quote = [`'`, '"', '`'].find((each) => !value.includes(each))
  if (!quote) throw new SetupError('A value must not contain all of the three kinds of quotes.')
  return `${quote}${value}${quote}`
}

main().catch((error: Error) => {
  console.error(error instanceof SetupError ? error.message : error.stack)
  process.exit(1)
})
