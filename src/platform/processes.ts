import { z } from 'zod'

/**
 * What a node does: `web` answers requests, `worker` runs the background work and answers health
 * checks only, `all` does both.
 */
export type Role = 'web' | 'worker' | 'all'

/** How the service is divided into processes. */
export interface Processes {
  role: Role
  /** How many processes this node runs. */
  workers: number
}

const MAX_WORKERS = 64

/** The variables of this part. */
export const PROCESS_SETTINGS = {
  PURSER_ROLE: z.enum(['web', 'worker', 'all'], 'must be web, worker or all').default('all'),
  WORKERS: z
    .string()
    .regex(/^\d{1,2}$/, `must be a number from 1 to ${MAX_WORKERS}`)
    .transform(Number)
    .refine((n) => n >= 1 && n <= MAX_WORKERS, `must be a number from 1 to ${MAX_WORKERS}`)
    .default(1),
}

type ProcessSettings = z.infer<z.ZodObject<typeof PROCESS_SETTINGS>> & {
  DATABASE_URL?: string | undefined
  DEMO?: '0' | '1' | undefined
}

/**
 * The processes of these settings, or the fault in them: the embedded database belongs to one
 * process, and the demo's sample sites have one port each.
 */
export function readProcesses(settings: ProcessSettings): Processes | { fault: string } {
  const { PURSER_ROLE: role, WORKERS: workers } = settings
  const [divides] = [
    ...(role === 'all' ? [] : ['PURSER_ROLE']),
    ...(workers > 1 ? ['WORKERS'] : []),
  ]
  if (divides && !settings.DATABASE_URL) {
    return {
      fault: `${divides}: needs PostgreSQL (DATABASE_URL). The embedded database belongs to one process.`,
    }
  }
  if (divides && settings.DEMO === '1') return { fault: `DEMO: cannot be 1 with ${divides}.` }
  return { role, workers }
}
