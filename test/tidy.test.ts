import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { FROM_CI, ON_BOTH_ENGINES, ONLY_IN_ALL } from '../scripts/test/levels.ts'

/** Files that are longer than the rule allows, and why. The list may only shrink. */
const EXCUSED_LINES: Record<string, number> = {}

const MAX_LINES = 300
const MAX_FUNCTION_LINES = 70
const MAX_COLUMNS = 100

interface Source {
  path: string
  text: string
  imports: string[]
}

const sources: Source[] = globSync(
  ['src/**/*.{ts,tsx}', 'scripts/**/*.{ts,mjs}', 'bench/**/*.ts', 'packages/*/src/**/*.ts'],
  { exclude: (path) => path.includes('node_modules') },
).map((path) => {
  const text = readFileSync(path, 'utf8')
  const imports = [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'/gm)].map(
    ([, specifier]) => specifier!,
  )
  return { path, text, imports }
})
const own = sources.filter(({ path }) => path.startsWith('src/'))
const sourcesByPath = new Map(own.map((source) => [source.path, source]))

/** The layer of a file: 1 platform, 2 domain, 3 flows, 4 surfaces, 5 what starts the service. */
function layerOf(path: string): number {
  const folder = path.split('/')[1]
  const layers: Record<string, number> = { platform: 1, domain: 2, flows: 3, surfaces: 4 }
  return layers[folder ?? ''] ?? 5
}

/** The file or module in src/ that an import names; undefined for packages and Node's own. */
function targetOf(source: Source, specifier: string): string | undefined {
  if (specifier.startsWith('./')) return normalize(join(dirname(source.path), specifier))
  const [, alias, rest] =
    /^#(platform|domain|flows|surfaces|design|http)\/(.+)$/.exec(specifier) ?? []
  if (alias === undefined) return undefined
  if (alias === 'design') return `src/platform/design/${rest}.tsx`
  return alias === 'http' ? `${SHARED_BY_SURFACES}${rest}` : `src/${alias}/${rest}`
}

function offenses(check: (source: Source, target: string) => boolean): string[] {
  return own.flatMap((source) =>
    source.imports
      .map((specifier) => targetOf(source, specifier))
      .filter((target) => target !== undefined && check(source, target))
      .map((target) => `${source.path} -> ${target}`),
  )
}

/** What every flow may use: its world, closed sets, how an invoice is paid, a license locked. */
const SHARED_BY_FLOWS = [
  'world',
  'closed-sets',
  'payment',
  'locked-charge',
  'locked-license',
  'period-credit',
  'reversed',
  'charge-balances',
  'excess',
  'account-access',
  'app-access',
  'member-access',
].map((name) => `src/flows/${name}`)
/** The flows that a payment hands over to, by what its invoice is for. */
const HAND_OVERS = [
  'src/flows/payment/pay.ts -> src/flows/checkout/fulfill',
  'src/flows/payment/pay.ts -> src/flows/subscription/extend',
  'src/flows/payment/settle.ts -> src/flows/subscription/unpaid',
]
/** The folder of what every surface may use: rows, guards, forms, error pages. */
const SHARED_BY_SURFACES = 'src/surfaces/http/'
/** Mounts all surfaces, so it imports each. */
const SITE = 'src/surfaces/site.ts'

test('imports go down the layers and never up', () => {
  assert.deepEqual(
    offenses((source, target) => layerOf(target) > layerOf(source.path)),
    [],
  )
})

test('modules of one layer do not import each other, except for what their layer shares', () => {
  const moduleOf = (path: string) =>
    path
      .split('/')
      .slice(0, 3)
      .join('/')
      .replace(/\.tsx?$/, '')
  const across = offenses((source, target) => {
    const layer = layerOf(source.path)
    if (layer !== layerOf(target) || layer === 1 || layer === 5) return false
    if (source.path === SITE) return false
    if (moduleOf(source.path) === moduleOf(target)) return layer === 2 && isLoose(target)
    if (layer === 4) return !target.startsWith(SHARED_BY_SURFACES)
    return layer === 2 || !SHARED_BY_FLOWS.includes(target)
  })
  assert.deepEqual(
    across.filter((line) => !HAND_OVERS.includes(line)),
    [],
  )
})

function isLoose(target: string): boolean {
  return target.split('/').length === 3
}

/** The file in src/ that an import loads; undefined for packages and Node's own. */
function fileOf(source: Source, specifier: string): string | undefined {
  const target = targetOf(source, specifier)
  if (target === undefined) return undefined
  const names = ['', '.ts', '.tsx', '/index.ts'].map((end) => target + end)
  return names.find((name) => sourcesByPath.has(name))
}

test('no import leads back to its own file, types included', () => {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: string[]) => {
    const at = trail.indexOf(path)
    if (at !== -1) cycles.push([...trail.slice(at), path].join(' -> '))
    if (at !== -1 || done.has(path)) return
    const source = sourcesByPath.get(path)!
    for (const specifier of source.imports) {
      const next = fileOf(source, specifier)
      if (next) visit(next, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of own) visit(path, [])
  assert.deepEqual(cycles, [])
})

test('a surface is a folder; only the site is beside the folders', () => {
  assert.deepEqual(globSync('src/surfaces/*.{ts,tsx}'), [SITE])
})

const ADAPTERS = { sandbox: ['#domain/payments'], stripe: ['#domain/payments', '#domain/tax'] }
for (const [adapter, ports] of Object.entries(ADAPTERS)) {
  test(`only a world opens ${adapter}, which imports its ports and nothing else of the domain`, () => {
    const users = own.filter(({ path, imports }) => {
      const isInside = path.startsWith(`src/${adapter}/`)
      return !isInside && imports.some((each) => each.includes(`${adapter}/`))
    })
    assert.deepEqual(
      users.map(({ path }) => path),
      ['src/open-world.ts'],
    )
    const reached = own
      .filter(({ path }) => path.startsWith(`src/${adapter}/`))
      .flatMap(({ imports }) => imports)
      .filter((specifier) => /^#(domain|flows|surfaces)/.test(specifier))
    assert.deepEqual([...new Set(reached)].sort(), ports)
  })
}

test('no import in src starts with ../', () => {
  const climbing = own.filter(({ imports }) => imports.some((each) => each.startsWith('../')))
  assert.deepEqual(
    climbing.map(({ path }) => path),
    [],
  )
})

/** Which tables each module owns. */
const owners: Record<string, RegExp> = {
  'domain/identity':
    /^(users|sessions|pending_sign_ins|account_links|authenticator_apps|passkeys|passkey_challenges|recovery_codes|sign_ups|email_changes|staff_invitations)$/,
  'domain/sellers': /^(sellers|seller_members|member_invitations)$/,
  'domain/apps':
    /^(apps|app_images|app_transfers|add_on_switches|approval_requests|clients|secret_claims|app_changes|integration_checks)$/,
  'domain/catalog': /^(products|prices)$/,
  'domain/grants': /^(oidc_records|oidc_keys|consents|agent_grants)$/,
  'domain/listing': /^listing_(sections|features|feature_products|names|app_names)$/,
  'domain/licensing': /^(licenses|license_(key_aliases|history|uses))$/,
  'domain/imports': /^imports$|^import_(rows|faults)$|^imported_records$/,
  'domain/tax': /^(tax_quotes|tax_records|tax_sums|tax_lines|tax_unsummed|remittances)$/,
  'domain/affiliates': /^affiliates$|^affiliate_clicks$|^referred_(days|changes)$/,
  'domain/billing': /^(carts|orders|subscriptions|invoices|invoice_lines)$/,
  'domain/discounts': /^discount_(codes|uses)$/,
  'domain/payments':
    /^(attempts|cards|charges|refunds|reissued_refunds|refunded_invoices|disputes|customers|processor_events|balance_transactions|closed_days)$/,
  'domain/payouts':
    /^(payouts|payout_lines|payout_accounts|payee_balances|payee_unsummed|unpaid_lines)$/,
  'domain/metrics': /^(metric_days|metric_changes|counted_licenses|listed_subscriptions)$/,
  'domain/ledger':
    /^(ledger_(transactions|entries|checks|proofs)|write_offs|write_off_reversals|buyer_(payments|payment_parts|balances)|excess_(repayments|parts)|suspense_bookings)$/,
  platform:
    /^(alarms|audit_log|emails|dev_mailbox|health_probe|secret_keys|installation|schema_migrations|tasks|task_files|task_file_parts|stored_files)$/,
  sandbox: /^sandbox\.\w+$/,
  stripe: /^stripe_adapter\.\w+$/,
}

test('only the module that owns a table writes it', () => {
  const foreignWrites = own.flatMap(({ path, text }) => {
    const written = [...text.matchAll(/\b(?:insert into|update|delete from)\s+([a-z_.]+)\b/g)]
      .filter(([statement]) => !/^update\s+(set|skip)$/.test(statement))
      .map(([, table]) => table!)
    const module = Object.keys(owners).find((each) => path.startsWith(`src/${each}/`))
    return written
      .filter((table) => isTable(table) && !(module && owners[module]!.test(table)))
      .map((table) => `${path} writes ${table}`)
  })
  assert.deepEqual(foreignWrites, [])
})

test("no statement of the service reads an adapter's tables: it calls the processor", () => {
  const reading = own.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:from|join|into|update|table)\s+((sandbox|stripe)\w*\.\w+)/g)]
      .filter(([, , adapter]) => !path.startsWith(`src/${adapter}/`))
      .map(([, table]) => `${path} reads ${table}`),
  )
  assert.deepEqual(reading, [])
})

const tables = globSync('migrations/*.sql').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/create table ([a-z_.]+)/g)].map(([, table]) => ({
    table: table!,
    file,
  })),
)

function isTable(name: string): boolean {
  return tables.some(({ table }) => table === name) || name === 'schema_migrations'
}

test('each table is created in the migration that is named after its owner', () => {
  const misplaced = tables.filter(({ table, file }) => {
    const [, name] = /\/\d+_([a-z]+)\w*\.sql$/.exec(file)!
    const owner = owners[name!] ?? owners[`domain/${name}`]
    return !owner?.test(table)
  })
  assert.deepEqual(misplaced, [])
})

test('only platform/clock.ts reads the time and only platform/random.ts draws random bytes', () => {
  const readers = own
    .filter(
      ({ path }) => !/platform\/(clock|random)\.ts$|design\/browser|-snippets\.ts$/.test(path),
    )
    .filter(({ text }) => /new Date\(\)|Date\.now\(|Math\.random|randomBytes|randomUUID/.test(text))
  assert.deepEqual(
    readers.map(({ path }) => path),
    [],
  )
})

test('the domain is given the time, and only entry points choose the clock and the chance', () => {
  const choosing = sources.filter(
    ({ path, text }) =>
      !/^(src\/(main|open-world)\.ts|src\/platform\/(clock|random)\.ts|scripts\/|bench\/)/.test(
        path,
      ) && /\bsystem(Clock|Random)\b/.test(text),
  )
  const clocks = own.filter(
    ({ path, imports }) => path.startsWith('src/domain/') && imports.includes('#platform/clock'),
  )
  assert.deepEqual(
    [...choosing, ...clocks].map(({ path }) => path),
    [],
  )
})

test('pages are functions of facts: no statements, no requests, no waiting in .tsx', () => {
  const pages = own.filter(({ path }) => path.endsWith('.tsx'))
  const asking = pages.filter(({ text }) =>
    /\bsql`|#platform\/(db|sql)|#flows\/|from 'fastify'|#http\/guards|\b(?:async|await)\b/.test(
      text,
    ),
  )
  assert.deepEqual(
    asking.map(({ path }) => path),
    [],
  )
})

test('each page file is named after its pages', () => {
  const unnamed = own.filter(({ path }) => /\/pages?\.tsx$/.test(path))
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  )
})

/** Types that two files define while one of them is being replaced. The list may only shrink. */
const EXCUSED_TYPES: string[] = []

test('no name of a type is defined twice in the service', () => {
  const places = new Map<string, string[]>()
  for (const { path, text } of own) {
    // What is added to a library's own types has to bear their names.
    const defining = text.replaceAll(/^declare module .*?^\}/gms, '')
    for (const [, name] of defining.matchAll(
      /^\s*(?:export )?(?:abstract )?(?:type|interface|class) (\w+)\b(?!,| \}| from)/gm,
    )) {
      places.set(name!, [...(places.get(name!) ?? []), path])
    }
  }
  const twice = [...places].filter(([, paths]) => paths.length > 1)
  const found = twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)
  assert.deepEqual(
    found.filter((line) => !EXCUSED_TYPES.includes(line.split(':')[0]!)),
    [],
  )
})

/** The surfaces of people who are signed in. */
const SIGNED_IN =
  /^src\/surfaces\/(account|admin|dashboard|payouts|portal|sales|test-clock|http\/(exports|tasks))\b/

test('each route of a signed-in surface calls a guard before anything else', () => {
  const routes = own
    .filter(({ path }) => SIGNED_IN.test(path))
    .flatMap(({ path, text }) => {
      const [, ...handlers] = text.split(/\bscope\.(?:get|post)\(/)
      return handlers.map((handler) => ({ path, first: /\bawait (\w+)\(/.exec(handler)?.[1] }))
    })
  assert.ok(routes.length > 50, `only ${routes.length} routes were found`)
  assert.deepEqual(
    routes.filter(({ first }) => !/^(require[A-Z]|findLicense$)/.test(first ?? '')),
    [],
  )
})

test('no handler casts the contents of a request', () => {
  const casting = own.filter(({ text }) =>
    /\brequest\.(?:params|query|body)\b[^\n]* as /.test(text),
  )
  assert.deepEqual(
    casting.map(({ path }) => path),
    [],
  )
})

test('files stay short, lines narrow and functions small', () => {
  const long = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    const faults: string[] = []
    if (lines.length > (EXCUSED_LINES[path] ?? MAX_LINES)) faults.push(`${lines.length} lines`)
    const wide = lines.findIndex((line) => line.length > MAX_COLUMNS && !isUnbreakable(line))
    if (wide >= 0) faults.push(`line ${wide + 1} is ${lines[wide]!.length} wide`)
    const size = longestFunction(lines)
    if (size > MAX_FUNCTION_LINES && !path.endsWith('.tsx')) {
      faults.push(`a function of ${size} lines`)
    }
    return faults.map((fault) => `${path}: ${fault}`)
  })
  assert.deepEqual(long, [])
})

/** A line whose length is one text outside of comments: a class list, a path of a drawing. */
function isUnbreakable(line: string): boolean {
  if (/^\s*(\/?\*|\/\/)/.test(line)) return false
  return /(['"`]).{60,}\1|^\s*[^'"`{}]{60,}$/.test(line)
}

/** The length of the longest top-level function, read from the formatter's own layout. */
function longestFunction(lines: string[]): number {
  let start = -1
  let longest = 0
  lines.forEach((line, index) => {
    if (/^(export )?(async )?function /.test(line)) start = index
    if (line === '}' && start >= 0) {
      longest = Math.max(longest, index - start + 1)
      start = -1
    }
  })
  return longest
}

test('no file names a path of a machine or a host of a registry', () => {
  const files = globSync(['**/*.{ts,tsx,mjs,md,json,sql,css}', '.ci/run'], {
    exclude: (path) => /node_modules|\.build|\.data|dist|package-lock/.test(path),
  })
  const telling = files.filter((file) => {
    if (file.endsWith('tidy.test.ts')) return false
    const text = readFileSync(file, 'utf8')
    return /(^|[^\w.])\/(work|farm|root|home)\/|registry\.npmjs|deb\.debian/m.test(text)
  })
  assert.deepEqual(telling, [])
})

test('each start of a path in the levels of the tests names a file', () => {
  const files = globSync('test/**/*.test.{ts,tsx}')
  const starts = [...FROM_CI, ...ONLY_IN_ALL, ...Object.values(ON_BOTH_ENGINES).flat()]
  const unused = starts.filter((start) => !files.some((file) => file.startsWith(start)))
  assert.deepEqual(unused, [])
})
