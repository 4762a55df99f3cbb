/** How much of the tests a run covers; a file that is named on the command line always runs. */
export type Level = 'quick' | 'ci' | 'all'

/**
 * Starts of paths that `npm test` leaves to `npm run test:ci`, so that it stays under six minutes
 * on two cores. Each is slow, and `npm test` checks the main path of what it checks.
 */
export const FROM_CI = [
  // Every page, every role, every parameter.
  'test/browser/accessibility',
  'test/browser/filters',
  'test/browser/forced-colors',
  'test/browser/long-texts',
  'test/browser/selects',
  'test/client/tidepool-accessibility',
  'test/contract/account-languages',
  'test/contract/hostile-input',
  'test/contract/languages',
  'test/contract/legal-pages',
  'test/contract/query-names',
  'test/surfaces/metrics',
  'test/surfaces/seller-roles',
  'test/surfaces/staff-roles',
  'test/surfaces/two-sellers',
  'test/surfaces/view-as-seller',

  // Every statement, on tables of the size at which its plan matters.
  'test/flows/grown-statements',
  'test/flows/long-lists',
  'test/platform/row-types',

  // More seeds, faults and orders of the same events.
  'test/contract/agent-fuzz',
  'test/contract/agent-payloads',
  'test/domain/oracle',
  'test/faults/',
  'test/flows/dispute-combinations',
  'test/flows/import-order',
  'test/flows/odd-plan-changes',
  'test/flows/pay-out-lost-answers',
  'test/flows/plan-change-money',
  'test/flows/renewals-at-once',
  'test/flows/team-races',
  'test/flows/versions-race',
  'test/simulate/exports',
  'test/simulate/months-2',
  'test/simulate/months-3',
  'test/simulate/months-4',
  'test/simulate/planted-faults',

  // Packages, code of the documentation, commands and other processes.
  'test/cli/interrupted-push',
  'test/cli/package',
  'test/cli/pasted-sign-in',
  'test/cli/pipes',
  'test/client/fastapi-starter',
  'test/client/package',
  'test/client/readme',
  'test/client/small-sites',
  'test/contract/client-double-requests',
  'test/contract/client-double-sign-in',
  'test/contract/docs-code',
  'test/contract/integration-code',
  'test/contract/integration-sign-in-code',
  'test/contract/oidc-keys',
  'test/platform/compiled-sources',
  'test/platform/jobs',
  'test/platform/mail',
  'test/platform/migrate',
  'test/platform/new-database',
  'test/platform/open-database',
  'test/platform/pdf',
  'test/process/',
  'test/stripe/ledger-check',

  // What few people do.
  'test/contract/agent-claims',
  'test/contract/agent-connections',
  'test/contract/agent-endpoint-tokens',
  'test/contract/agent-matrix',
  'test/contract/agent-oauth-addresses',
  'test/contract/agent-oauth-revocation',
  'test/contract/cases-pages',
  'test/contract/import-pages',
  'test/contract/manage-page-renewals',
  'test/contract/oidc-before-sign-in',
  'test/contract/oidc-certification',
  'test/contract/oidc-newcomers',
  'test/contract/oidc-sign-out',
  'test/contract/uploads',
  'test/flows/account-email',
  'test/flows/account-factors',
  'test/flows/account-quarantine',
  'test/flows/account-security',
  'test/flows/account-sessions',
  'test/flows/app-images',
  'test/flows/app-offer',
  'test/flows/app-transfer',
  'test/flows/check-integration',
  'test/flows/comp',
  'test/flows/continue-imported',
  'test/flows/discount-periods',
  'test/flows/disowned',
  'test/flows/emails-to-buyers',
  'test/flows/emails-to-sellers',
  'test/flows/excess',
  'test/flows/export-seller',
  'test/flows/exports',
  'test/flows/final-payout',
  'test/flows/former-seller',
  'test/flows/import-ended',
  'test/flows/import-ends-earlier',
  'test/flows/import-keys',
  'test/flows/imports',
  'test/flows/metrics',
  'test/flows/overview-pages',
  'test/flows/payout-pages',
  'test/flows/personal-data',
  'test/flows/proven-months',
  'test/flows/referred-figures',
  'test/flows/reissued-refund',
  'test/flows/remit-tax',
  'test/flows/removed-images',
  'test/flows/scenarios',
  'test/flows/sign-in-tries',
  'test/flows/staff-invitation',
  'test/flows/staff-lists',
  'test/flows/staff-members',
  'test/flows/staff-sign-out',
  'test/flows/suspended-seller',
  'test/flows/test-clock',
  'test/flows/test-mode',
]

/**
 * Tests in a browser, or with several processes, whose rules the flow and contract tests check
 * within one process, and those of commands that start processes: only in `npm run test:all`.
 */
export const ONLY_IN_ALL = [
  'test/faults/process.test.ts',
  'test/flows/job-queue.test.ts',
  'test/platform/backup.test.ts',
  'test/platform/schedules.test.ts',
  'test/process/agents.test.ts',
  'test/process/backup.test.ts',
  'test/process/caddy.test.ts',
  'test/process/cli-listing.test.ts',
  'test/process/cli.test.ts',
  'test/process/client-runtimes.test.ts',
  'test/process/command-options.test.ts',
  'test/process/doctor.test.ts',
  'test/process/each-mode.test.ts',
  'test/process/generated-clients.test.ts',
  'test/process/image.test.ts',
  'test/process/kill.test.ts',
  'test/process/ledger-check.test.ts',
  'test/process/no-database.test.ts',
  'test/process/nodes.test.ts',
  'test/process/outages.test.ts',
  'test/process/postgres-backups.test.ts',
  'test/process/postgres-roles.test.ts',
  'test/process/prometheus.test.ts',
  'test/process/quick-start.test.ts',
  'test/process/sign-in-pages.test.ts',
  'test/process/staff-add.test.ts',
  'test/process/start.test.ts',
  'test/process/starters.test.ts',
  'test/stripe/restored.test.ts',
  'test/browser/account.test.ts',
  'test/browser/agent.test.ts',
  'test/browser/components.test.ts',
  'test/browser/docs.test.ts',
  'test/browser/driftlog.test.ts',
  'test/browser/emails.test.ts',
  'test/browser/first-seller.test.ts',
  'test/browser/hosted-sign-in.test.ts',
  'test/browser/keyboard.test.ts',
  'test/browser/languages.test.ts',
  'test/browser/listing.test.ts',
  'test/browser/manage.test.ts',
  'test/browser/mistakes.test.ts',
  'test/browser/payouts.test.ts',
  'test/browser/redirects.test.ts',
  'test/browser/referral.test.ts',
  'test/browser/refund.test.ts',
  'test/browser/security.test.ts',
  'test/browser/seller.test.ts',
  'test/browser/sign-in.test.ts',
  'test/browser/test-clock.test.ts',
  'test/browser/test-mode.test.ts',
]

/** On the embedded engine too: one path through everything that the engines do differently. */
export const ON_BOTH_ENGINES: Record<Level, readonly string[]> = {
  quick: ['test/flows/checkout.test', 'test/platform/database'],
  ci: [
    'test/contract/license-keys.test',
    'test/faults/',
    'test/flows/checkout.test',
    'test/flows/proven-months.test',
    'test/platform/database',
  ],
  all: [
    'test/contract/',
    'test/faults/',
    'test/flows/',
    'test/platform/database',
    'test/sandbox/',
    'test/simulate/months',
    'test/stripe/',
  ],
}

/** Whether a whole run of this level includes a file. */
export function runsIn(level: Level, file: string): boolean {
  if (level === 'all') return true
  if (startsWithAny(file, ONLY_IN_ALL)) return false
  return level === 'ci' || !startsWithAny(file, FROM_CI)
}

/** Whether a file of a run also runs on the embedded engine. */
export function runsOnBothEngines(level: Level, file: string): boolean {
  return startsWithAny(file, ON_BOTH_ENGINES[level])
}

function startsWithAny(file: string, starts: readonly string[]): boolean {
  return starts.some((start) => file.startsWith(start))
}
