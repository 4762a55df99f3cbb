import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** The status of a command that was run with arguments which it does not have. */
const MISUSED = 2

/** What a command takes. */
interface Accepted<Options extends ParseArgsOptionsConfig> {
  options?: Options
  /** Whether it takes arguments, such as the name of a file, besides options. */
  has_arguments?: boolean
}

/**
 * Reads the options and arguments of a command. With `--help` or `-h` it prints the usage and ends
 * the command with 0. With an option or argument that the command does not have, or an option that
 * npm kept to itself because no `--` was before it, the usage goes to standard error and the status
 * is 2: without the option the command would do something else.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  { options = {} as Options, has_arguments = false }: Accepted<Options> = {},
) {
  const given = process.argv.slice(2)
  if (given.some((each) => each === '--help' || each === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  if (Object.keys(options).some(isKeptByNpm)) misused(usage)
  try {
    return parseArgs({ args: given, options, allowPositionals: has_arguments })
  } catch {
    return misused(usage)
  }
}

/** Ends a command that was run with wrong arguments, with its usage. */
export function misused(usage: string): never {
  console.error(usage)
  process.exit(MISUSED)
}

/** Whether npm took an option that is not behind `--` as a setting of its own. */
function isKeptByNpm(option: string): boolean {
  return process.env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined
}
