import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError } from '#platform/config'

export type Environment = Record<string, string | undefined>

/**
 * The settings of this process: the environment's variables and, for those that are not set there,
 * the file that `npm run setup` wrote. That is `.env` in the current folder, or `ENV_FILE`.
 */
export function environment(env: Environment = process.env): Environment {
  const file = envFileOf(env)
  try {
    const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
    return { ...parseEnv(readFileSync(file, 'utf8')), ...Object.fromEntries(given) }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isAbsent && !env.ENV_FILE) return env
    throw new ConfigError(`ENV_FILE: ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** The path of the settings file. */
export function envFileOf({ ENV_FILE }: Environment): string {
  return ENV_FILE || '.env'
}
