import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

// Guards R15: rules and dashboard follow the figures that the service exports. metrics.test.ts
// compares the table of the page with what a service exports.

interface Documented {
  type: string
  labels: Set<string>
}

const page = readFileSync('docs/operate/monitoring.md', 'utf8')
const figures = new Map<string, Documented>(
  [...page.matchAll(/^\| `((?:purser|process)_\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
    ([, name, type, labels]) => {
      const named = labels!.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)
      return [name!, { type: type!, labels: new Set([...named].map(([, label]) => label!)) }]
    },
  ),
)

// Prometheus' own figure of a scrape.
figures.set('up', { type: 'gauge', labels: new Set() })

const FUNCTIONS = new Set(
  'absent delta histogram_quantile max max_over_time min or rate sum time topk'.split(' '),
)
/** What Prometheus adds to each sample, and what a bucket has. */
const ADDED = ['instance', 'job', 'le', 'mode']

/** What is wrong with an expression: a figure or a label that does not exist. */
function faultsOf(expression: string): string[] {
  const faults: string[] = []
  const count = (character: string) => expression.split(character).length
  if (count('(') !== count(')')) faults.push('parentheses')
  const labels = new Set<string>()
  const bare = expression
    .replaceAll(/\bby \(([^)]*)\)/g, (_, list: string) => {
      for (const label of list.split(/,\s*/)) labels.add(label)
      return ''
    })
    .replaceAll(/\{([^}]*)\}/g, (_, list: string) => {
      for (const [, label] of list.matchAll(/(\w+)(?:=~?|!=|!~)"[^"]+"/g)) labels.add(label!)
      return ''
    })
    .replaceAll(/\[[^\]]+\]/g, '')
  const words = bare.match(/[a-z_]\w*/g) ?? []
  const named = words.filter((word) => !FUNCTIONS.has(word))
  const known = named.map((word) => {
    const [, base] = /^(\w+)_(?:bucket|count|sum)$/.exec(word) ?? []
    const ofHistogram = base && figures.get(base)?.type === 'histogram'
    const figure = ofHistogram ? figures.get(base) : figures.get(word)
    if (!figure || (figure.type === 'histogram' && !ofHistogram)) faults.push(word)
    return figure
  })
  const possible = new Set([...ADDED, ...known.flatMap((each) => [...(each?.labels ?? [])])])
  faults.push(...[...labels].filter((label) => !possible.has(label)))
  if (named.length === 0) faults.push('no figure')
  return faults
}

/** The severity of an alert that also fires for test mode, which no person has to be paged for. */
const BY_MODE = `'{{ if eq $labels.mode "test" }}ticket{{ else }}page{{ end }}'`
const RULE =
  / {6}- alert: (\w+)\n(?: {8}# [^\n]+\n)? {8}expr: '([^'\n]+)'\n(?: {8}for: \d+[mh]\n)? {8}labels:\n {10}severity: (page|ticket|'[^'\n]+')\n {8}annotations:\n {10}summary: ([A-Z][^:\n]+\.)\n {10}runbook: (\S+)\n/g
const rules = readFileSync('deploy/prometheus/alerts.yml', 'utf8')
const alerts = [...rules.matchAll(RULE)].map(([, name, expr, severity, , runbook]) => ({
  name: name!,
  expr: expr!,
  severity: severity!,
  runbook: runbook!,
}))

test('every line of the rules belongs to a complete rule', () => {
  const rest = rules.replaceAll(RULE, '')
  assert.match(rest, /^# [^\n]+\ngroups:\n {2}- name: purser\n {4}rules:\n$/)
  assert.ok(alerts.length >= 8)
  assert.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length)
})

test('each alert uses exported metrics, with labels that they have', () => {
  const faults = alerts.flatMap(({ name, expr }) =>
    faultsOf(expr).map((fault) => `${name}: ${fault}`),
  )
  assert.deepEqual(faults, [])
})

test('no alert pages a person for test mode alone', () => {
  for (const { name, expr, severity } of alerts) {
    const series = expr.match(/purser_\w+(?:\{[^}]*\})?/g) ?? []
    const isOfLive = series.length > 0 && series.every((each) => each.includes('mode="live"'))
    const isByMode = expr.startsWith('max by (mode)') || expr.startsWith('sum by (mode)')
    assert.ok(severity === 'ticket' || isOfLive || (isByMode && severity === BY_MODE), name)
  }
})

test('the alert on failed requests counts no health checks, of which a quiet service has the most', () => {
  const { expr } = alerts.find(({ name }) => name === 'PurserErrorRate')!
  const selectors =
    expr.match(/purser_http_request_duration_seconds_count\{[^}]*\}|_count\[/g) ?? []
  assert.equal(selectors.length, 2)
  for (const each of selectors) assert.match(each, /route!~"\/\(healthz\|readyz\)"/)
})

test('each alert has its own page, which names it and says what to do', () => {
  for (const { name, runbook } of alerts) {
    const text = readFileSync(runbook, 'utf8')
    assert.ok(text.includes(`\`${name}\``), runbook)
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, ['What it means', 'What to look at', 'What to do'], runbook)
  }
  const pages = globSync('docs/operate/incidents/*.md').filter((path) => !/README/.test(path))
  assert.deepEqual(pages.toSorted(), alerts.map(({ runbook }) => runbook).toSorted())
  const index = readFileSync('docs/operate/incidents/README.md', 'utf8')
  for (const { name, severity } of alerts) {
    const listed = severity === BY_MODE ? 'page; ticket for test mode' : severity
    assert.match(index, new RegExp(`\\[${name}\\]\\([a-z-]+\\.md\\) \\| ${listed} \\|`))
  }
})

// test/process/prometheus.test.ts runs them.
test('each alert has a test of its threshold', () => {
  const tests = readFileSync('deploy/prometheus/alerts.test.yml', 'utf8')
  const tested = [...tests.matchAll(/expr: 'ALERTS\{alertname="(\w+)"/g)].map(([, name]) => name!)
  assert.deepEqual(tested.toSorted(), alerts.map(({ name }) => name).toSorted())
})

const { panels } = JSON.parse(readFileSync('deploy/grafana/purser.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}

test('each dashboard panel uses exported metrics', () => {
  assert.ok(panels.length >= 12)
  const faults = panels.flatMap(({ title, targets }) =>
    targets.flatMap(({ expr }) => faultsOf(expr).map((fault) => `${title}: ${fault}`)),
  )
  assert.deepEqual(faults, [])
})

test('metrics that every program exports are those of this service only', () => {
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const general = [...shown, ...alerts.map(({ expr }) => expr)].flatMap(
    (expr) => expr.match(/\b(?:process_\w+|up\b)(?:\{[^}]*\})?/g) ?? [],
  )
  assert.equal(general.length, 4)
  for (const each of general) assert.match(each, /\{job="purser"\}$/)
})

test('finds a wrong metric, label or parenthesis', () => {
  assert.deepEqual(faultsOf('max(purser_payment_attempts_opened) > 1'), [
    'purser_payment_attempts_opened',
  ])
  assert.deepEqual(faultsOf('sum(purser_jobs{stat="failed"})'), ['stat'])
  assert.deepEqual(faultsOf('sum by (route) (purser_ready'), ['parentheses', 'route'])
  assert.deepEqual(faultsOf('rate(purser_http_request_duration_seconds[5m])'), [
    'purser_http_request_duration_seconds',
  ])
  assert.deepEqual(faultsOf('absent(time())'), ['no figure'])
})

test('the incident pages name staff pages, settings and files that exist', () => {
  const env = readFileSync('.env.example', 'utf8')
  for (const path of globSync('docs/operate/incidents/*.md')) {
    const text = readFileSync(path, 'utf8')
    for (const [, setting] of text.matchAll(/`([A-Z]+(?:_[A-Z]+)+|WORKERS)`/g)) {
      assert.match(env, new RegExp(`^#${setting}=`, 'm'), `${path}: ${setting}`)
    }
    for (const [, name] of text.matchAll(/`((?:purser|process)_\w+)`/g)) {
      assert.ok(figures.has(name!), `${path}: ${name}`)
    }
    for (const [, area] of text.matchAll(/`\/admin\/([a-z]+)\//g)) {
      assert.ok(existsSync(`src/surfaces/admin/${area}.ts`), `${path}: ${area}`)
    }
  }
})
