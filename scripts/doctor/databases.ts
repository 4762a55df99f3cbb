import { accessSync, constants, existsSync } from 'node:fs'
import { systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import { askControl } from '#platform/control'
import { CONNECTIONS } from '#platform/db-postgres'
import { Diagnosis, diagnoseDatabase, fault, ok, reason, warning } from '#platform/diagnosis'
import { existingPart } from '#platform/disk'
import { FolderInUse } from '#platform/lock'
import { openLog } from '#platform/log'
import {
  DatabaseNotOpened,
  databaseFolder,
  isNoDatabase,
  missingRight,
  OfAnotherUser,
  OPEN_FOLDER_ADVICE,
  OWN_TABLES,
  openDatabase,
  serverName,
} from '#platform/open-database'
import { keyRing } from '#platform/secrets'
import type { RunningDiagnoses } from '#surfaces/commands/running'
import { configOfTestMode } from '../../src/test-mode-config.ts'

const ANSWER_WITHIN_MS = 10_000

/** Looks at the database of live mode and, if there is one, at that of test mode. */
export async function diagnoseDatabases(config: Config): Promise<Diagnosis[]> {
  const { test_mode } = config
  const test = test_mode && configOfTestMode(config, test_mode)
  const running = config.database_url ? undefined : await askRunning(config)
  const worlds = test && isSameServer(config, test) ? 2 : 1
  const live = running?.live ?? (await diagnoseOne(config, worlds))
  const findings = [...engineWarning(config), ...live]
  if (!test) return findings
  const beside = running ? running.test : await diagnoseOne(test, worlds)
  const closed = fault('database', 'the running service could not open it', 'Read its log.')
  return [...findings, ...(beside ?? [closed]).map(asTestMode)]
}

/** Whether the databases of live and test mode are on one PostgreSQL server, which counts both. */
export function isSameServer(
  ...modes: [Pick<Config, 'database_url'>, Pick<Config, 'database_url'>]
): boolean {
  const [live, test] = modes.map(({ database_url }) => database_url && serverOf(database_url))
  return live !== undefined && live === test
}

/** The server of a URL; one that names none is at its default, or named by the environment. */
function serverOf(database_url: string): string {
  const { hostname, port, searchParams } = new URL(database_url)
  return `${searchParams.get('host') ?? hostname}:${searchParams.get('port') ?? (port || 5432)}`
}

const asTestMode = (found: Diagnosis): Diagnosis => ({ ...found, check: `test ${found.check}` })

/** What a service that runs on the embedded database says of it; undefined if none runs. */
async function askRunning({ data_dir }: Config): Promise<RunningDiagnoses | undefined> {
  const answer = await askControl(data_dir, { command: 'doctor' }, ANSWER_WITHIN_MS).catch(
    () => undefined,
  )
  if (!answer || 'fault' in answer) return undefined
  const { live, test } = JSON.parse(answer.text)
  return { live: Diagnosis.array().parse(live), test: Diagnosis.array().optional().parse(test) }
}

/** Looks at one database; `worlds` is how many the processes of this node open on its server. */
async function diagnoseOne(config: Config, worlds: number): Promise<Diagnosis[]> {
  if (!config.database_url && !existsSync(databaseFolder(config))) return [firstStart(config)]
  try {
    const { db, close } = await openDatabase(config, openLog('silent'))
    try {
      return await diagnoseDatabase(db, {
        keys: keyRing(config.secret_keys),
        now: () => systemClock.now(),
        connections:
          worlds * config.workers * (CONNECTIONS.pool + CONNECTIONS.reports + CONNECTIONS.single),
      })
    } finally {
      await close()
    }
  } catch (error) {
    return [unreachable(error instanceof DatabaseNotOpened ? error.cause : error, config)]
  }
}

/** Whether the first start can create the embedded database. */
function firstStart({ data_dir }: Config): Diagnosis {
  try {
    // With the slash, a file is refused as well.
    accessSync(`${existingPart(data_dir)}/`, constants.W_OK | constants.X_OK)
    return ok('database', 'embedded engine; the first start creates it')
  } catch (error) {
    const next = 'Give DATA_DIR to the user of the service, or set it to another folder.'
    return fault('database', `the folder cannot be written: ${reason(error)}`, next)
  }
}

function unreachable(error: unknown, config: Config): Diagnosis {
  if (error instanceof FolderInUse) {
    const next = 'Wait until the service has started, and run this again.'
    return warning('database', 'a service has the data folder and does not answer', next)
  }
  if (error instanceof OfAnotherUser) {
    return warning('database', error.message, 'Or start the service, which answers for it.')
  }
  if (!config.database_url) {
    return fault('database', `the folder cannot be opened: ${reason(error)}`, OPEN_FOLDER_ADVICE)
  }
  if (isNoDatabase(error)) return fault('database', reason(error), 'Create it, or correct the URL.')
  if (missingRight(error)) return fault('database', reason(error), OWN_TABLES)
  const next = 'Start PostgreSQL, or correct the host, user or password in the URL.'
  return fault('database', `${serverName(config.database_url)}: ${reason(error)}`, next)
}

function engineWarning({ production, database_url }: Config): Diagnosis[] {
  if (!production || database_url) return []
  const text = 'the embedded engine does not wait for the disk: a power failure loses sales'
  return [warning('engine', text, 'Use PostgreSQL (DATABASE_URL) for real money.')]
}
