/**
 * Lists what the Stripe account still lacks before going live, each with the next step; it changes
 * nothing. Exits with 1 if something is missing, and with 2 if the settings cannot be used or
 * Stripe does not answer. `npm run stripe:check`, with the settings of the service.
 */
import { ConfigError, isLiveKey, readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { systemRandom } from '#platform/random'
import { checkSetup } from '../src/stripe/check.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run stripe:check

Lists what the Stripe account still lacks before going live, each with the next step. It changes
nothing. It needs STRIPE_SECRET_KEY, in the environment or in .env. Exits with 1 if something is
missing, and with 2 if the settings cannot be used or Stripe does not answer.`

async function main(): Promise<void> {
  readArguments(USAGE)
  const { stripe, base_url, operator, tax_provider } = readConfig(environment(), systemRandom)
  if (!stripe)
    throw new ConfigError('STRIPE_SECRET_KEY: set it to the key of the account to check.')
  const { statement_descriptor } = operator
  const findings = await checkSetup(stripe, { base_url, statement_descriptor, tax_provider })
  for (const { what, is_good, next } of findings) {
    console.log(is_good ? `ok       ${what}` : `missing  ${what}\n         ${next}`)
  }
  const missing = findings.filter(({ is_good }) => !is_good).length
  const mode = isLiveKey(stripe.secret_key) ? 'live' : 'test'
  if (missing === 0) console.log(`The account is ready (${mode} mode).`)
  else console.log(`${missing} of ${findings.length} are missing (${mode} mode).`)
  process.exitCode = missing === 0 ? 0 : 1
}

main().catch((error: Error) => {
  console.error(
    error instanceof ConfigError ? error.message : `Stripe was not asked: ${error.message}`,
  )
  process.exit(2)
})
