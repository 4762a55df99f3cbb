import { z } from 'zod'
import type { World } from '#flows/world'
import { writeBackup } from '#platform/backup'
import type { ControlAnswer } from '#platform/control'
import { type Diagnosis, diagnoseDatabase } from '#platform/diagnosis'
import { answerCommand } from './commands.ts'

/** The request of `npm run doctor` to a service that runs on the embedded database. */
const DoctorRequest = z.object({ command: z.literal('doctor') })

/** The request of `npm run backup`. */
const BackupRequest = z.object({ command: z.literal('backup'), file: z.string() })

/** What the running service found, as JSON: `test` if test mode runs beside live mode. */
export interface RunningDiagnoses {
  live: Diagnosis[]
  test: Diagnosis[] | undefined
}

/** The worlds of a running service; test mode is there once it is open. */
export interface RunningWorlds {
  live: World
  test(): World | undefined
}

/** Answers any command, including those that only a running service can answer. */
export async function answerRunning(
  worlds: RunningWorlds,
  request: unknown,
): Promise<ControlAnswer> {
  const backup = BackupRequest.safeParse(request)
  if (backup.success) return await answerBackup(worlds.live, backup.data.file)
  if (!DoctorRequest.safeParse(request).success) return await answerCommand(worlds.live, request)
  const test = worlds.test()
  const found: RunningDiagnoses = {
    live: await diagnose(worlds.live),
    test: test && (await diagnose(test)),
  }
  return { text: JSON.stringify(found) }
}

async function answerBackup({ db }: World, file: string): Promise<ControlAnswer> {
  try {
    return { text: String(await writeBackup(db, file)) }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

async function diagnose({ db, keys, clock }: World): Promise<Diagnosis[]> {
  return await diagnoseDatabase(db, { keys, now: () => clock.now(), connections: 1 })
}
