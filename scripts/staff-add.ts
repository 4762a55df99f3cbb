/**
 * Prints a one-time link with which a person becomes staff: `npm run staff:add you@example.com`,
 * with the service's settings. The role is admin unless `-- --role support` or `-- --role finance`
 * follows. The link is the only line on standard output. A service that runs on the embedded
 * database makes the link itself, as that database belongs to one process.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import { STAFF_ROLES } from '#domain/identity'
import { INVITATION_HOURS } from '#flows/staff-actions'
import { systemClock as clock } from '#platform/clock'
import { type Config, ConfigError, readConfig } from '#platform/config'
import { askControl, type ControlAnswer } from '#platform/control'
import type { Db } from '#platform/db'
import { environment } from '#platform/env-file'
import { FolderInUse } from '#platform/lock'
import { openLog } from '#platform/log'
import { ensureMigrated, isEmpty } from '#platform/migrate'
import type { OpenDatabase } from '#platform/open-database'
import { systemRandom as random } from '#platform/random'
import { answerCommand, type StaffAdd } from '#surfaces/commands/commands'
import { openExisting, sentenceOf } from './each-mode.ts'
import { misused, readArguments } from './read-arguments.ts'

type StaffAddRequest = z.infer<typeof StaffAdd>

const USAGE = `Usage: npm run staff:add you@example.com [-- --role ${STAFF_ROLES.join('|')}]

Prints a link with which a person becomes staff. It works once, within ${INVITATION_HOURS} hours.

  --role   the person's role (admin)`
/** A service that is starting has the folder before it answers commands. */
const STARTING_MS = 30_000
const PAUSE_MS = 250

/** A reason to end that the reader can act on. */
class Refusal extends Error {}

async function main(): Promise<void> {
  const request = readRequest()
  const config = readConfig(environment(), random)
  const answer = await answerTo(config, request)
  if ('fault' in answer) throw new Refusal(answer.fault)
  console.error(
    `With this link, ${request.email} joins the staff as ${request.role}. It works once, within ` +
      `${INVITATION_HOURS} hours, and ends earlier ones. Open it, or send it to no one else.`,
  )
  console.log(answer.text)
}

function readRequest(): StaffAddRequest {
  const { values, positionals } = readArguments(USAGE, {
    options: { role: { type: 'string', default: 'admin' } },
    has_arguments: true,
  })
  const role = STAFF_ROLES.find((each) => each === values.role)
  const [email, ...others] = positionals
  if (!role || !email || others.length > 0) misused(USAGE)
  return { command: 'staff:add', email, role }
}

/** Opens the database, or has the service that runs on the embedded one answer. */
async function answerTo(config: Config, request: StaffAddRequest): Promise<ControlAnswer> {
  const { data_dir, base_url } = config
  for (let waited = 0; waited < STARTING_MS; waited += PAUSE_MS) {
    const open = await openIfFree(config)
    if (open) {
      const { db, close } = open
      try {
        await refuseEmpty(db, config)
        await ensureMigrated(db, clock.now(), config)
        return await answerCommand({ db, clock, random, config: { base_url } }, request)
      } finally {
        await close()
      }
    }
    const answer = await askControl(data_dir, request)
    if (answer) return answer
    await wait(PAUSE_MS)
  }
  throw new Refusal(
    `A service runs on the data folder ${data_dir} and does not answer. Stop it, and try again.`,
  )
}

/** Throws if no service has used the database of `DATABASE_URL`: it may be the wrong one. */
async function refuseEmpty(db: Db, { database_url }: Config): Promise<void> {
  if (!database_url || !(await isEmpty(db))) return
  throw new ConfigError(
    'DATABASE_URL: this database has no tables of Purser. Correct the setting, or start the ' +
      'service, which creates them.',
  )
}

/** The open database; undefined if another process has its folder. */
async function openIfFree(config: Config): Promise<OpenDatabase | undefined> {
  try {
    return await openExisting(config, openLog('silent'))
  } catch (error) {
    if (error instanceof FolderInUse) return undefined
    throw error
  }
}

main().catch((error: Error) => {
  console.error(error instanceof Refusal ? error.message : sentenceOf(error))
  process.exit(1)
})
