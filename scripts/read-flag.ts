import { parseArgs } from 'node:util'
import { ConfigError } from '#platform/config'

/**
 * Whether a command was run with its only option, as `npm run COMMAND -- --OPTION`. Throws a
 * ConfigError with the usage for anything else, as without the option it does something else.
 */
export function readFlag(command: string, option: string): boolean {
  if (!isKeptByNpm(option)) {
    try {
      const { values } = parseArgs({ options: { [option]: { type: 'boolean' } } })
      return values[option] === true
    } catch {
      // An option or an argument that it does not have.
    }
  }
  throw new ConfigError(`Usage: npm run ${command}, or npm run ${command} -- --${option}`)
}

/** Whether npm took an option that is not behind `--` as a setting of its own. */
function isKeptByNpm(option: string): boolean {
  return process.env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined
}
