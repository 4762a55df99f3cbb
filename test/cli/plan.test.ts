/** What a file of an app says, and which calls it leads to. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import {
  comparable,
  noteWritten,
  readListingFile,
  stateText,
  writeState,
} from '../../packages/cli/src/listing/file.ts'
import { fingerprint, foreignParts } from '../../packages/cli/src/listing/fingerprint.ts'
import {
  callsFor,
  descriptionCalls,
  featuresCall,
  unknownPlans,
  versionsCall,
  wantedState,
  withNewIds,
} from '../../packages/cli/src/listing/plan.ts'
import { diffLines } from '../../packages/cli/src/listing/show.ts'
import type { AppState } from '../../packages/cli/src/listing/state.ts'

const PRO = {
  product_id: 'prod_pro',
  name: 'Pro',
  description: 'Everything.\n\nAnd more.',
  is_free: false,
  prices: [{ amount: '12.00', frequency: 'month' }],
}
const STATE: AppState = {
  listing: {
    tagline: 'Tides: all of them',
    description: 'First line.\nSecond line.',
    listing_mode: 'marketplace',
    categories: ['Sea and coast'],
    industries: [],
    tags: ['yes', '1.0', '#sea'],
  },
  sections: [{ title: 'What', body: '<p>One</p>\n<p>Two</p>' }],
  features: [{ name: 'Alerts', description: '', product_ids: ['prod_pro'] }],
  versions: [{ ...PRO, name: 'Free', product_id: 'prod_free', is_free: true, prices: [] }, PRO],
}

const folder = mkdtempSync(join(tmpdir(), 'purser-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'purser.yaml')

function read(text: string) {
  writeFileSync(path, text)
  return readListingFile(path)
}

function faultsOf(text: string): string[] {
  try {
    read(text)
    return []
  } catch (error) {
    const { fields, message } = error as CliError
    return fields.length > 0 ? fields.map((each) => `${each.path}: ${each.message}`) : [message]
  }
}

describe('the file of an app', () => {
  test('reads back as what was written, whatever the texts contain', () => {
    const texts = ['a: b', '# no comment', '- item', 'true', '0x10', ' two ', 'ein\ttab', '"', "'"]
    const listing = { ...STATE.listing, tags: texts }
    const state = { ...STATE, listing }
    const { content } = read(stateText(state, 'tidepool'))
    assert.deepEqual(wantedState(content, STATE), state)
    assert.equal(content.pulled, fingerprint(state))
  })

  test('has the same text for the same state, and names the plans of feature rows', () => {
    const text = stateText(STATE, 'tidepool')
    assert.equal(stateText(structuredClone(STATE), 'tidepool'), text)
    assert.match(text, /\n {6}- prod_pro # Pro\n/)
    assert.match(text, /\n {2}description: \|-\n {4}First line\.\n {4}Second line\.\n/)
    assert.match(text, /amount: "12\.00"/)
  })

  test('leaves its first lines out of a comparison', () => {
    assert.match(comparable(STATE), /^listing:\n {2}tagline/)
  })

  test('shows only the lines that differ, a blank line of a description too', () => {
    const changed = (after: AppState) =>
      diffLines({ style: (_, text) => text }, STATE, after).filter((line) => /^[+-]/.test(line))
    const team = { name: 'Team', description: '', is_free: true, prices: [] }
    assert.deepEqual(changed({ ...STATE, versions: [...STATE.versions, team] }), [
      '+  - name: Team',
      '+    description: ""',
      '+    is_free: true',
      '+    prices: []',
    ])
    const description = 'First line.\n\nSecond line.'
    assert.deepEqual(changed({ ...STATE, listing: { ...STATE.listing, description } }), ['+'])
  })

  test('takes an amount without quotes, and a block with a line break at its end', () => {
    const { content } = read(
      'app: a\npulled: b\nversions:\n  - name: Pro\n    description: |\n      All\n    prices:\n      - amount: 12.5\n      - amount: 12.345\n        frequency: year\n',
    )
    assert.deepEqual(content.versions, [
      {
        name: 'Pro',
        description: 'All',
        prices: [
          { amount: '12.50', frequency: null },
          { amount: '12.345', frequency: 'year' },
        ],
      },
    ])
  })

  const PRICES =
    /^versions\[1\]\.prices\[0\]: must be a mapping\nversions\[1\]\.prices\[1\]: must be/
  const WRONG: [text: string, faults: RegExp][] = [
    ['[]', /^file: must be a YAML mapping$/],
    ['app: a\npulled: b\nprices: []', /^prices: unknown part$/],
    ['listing: []', /^app: .*\npulled: .*\nlisting: must be a mapping$/],
    ['app: a\npulled: b\nversions: {}', /^versions: must be a list$/],
    ['app: a\npulled: b\nversions:\n  - Pro', /^versions\[0\]: must be a mapping$/],
    ['app: a\npulled: b\nfeatures:\n  - product_ids: Pro', /^features\[0\]\.product_ids: must be/],
    ['app: a\npulled: b\nversions:\n  - prices: [{}]\n  - prices: [null, 12]', PRICES],
    ['app: a\npulled: b\nsections:\n  - &one {}\n  - *one', /has the alias \*one\. Write the/],
    ['app: a\npulled: *b', /has the alias \*b\./],
    ['app: a\napp: b', /not valid YAML: Map keys must be unique at line 2/],
    ['app: [', /not valid YAML: .* at line 1/],
  ]
  for (const [text, faults] of WRONG) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.match(faultsOf(text).join('\n'), faults)
    })
  }

  test('is wrong use, not a bug, where it cannot be written', () => {
    const elsewhere = join(folder, 'missing', 'purser.yaml')
    assert.throws(
      () => writeState(elsewhere, STATE, 'tidepool'),
      (error: CliError) => error.exit === EXIT.usage && error.message.includes(elsewhere),
    )
  })

  test('gets the IDs of new plans, and keeps comments and order', () => {
    const team = { ...PRO, name: 'Team', product_id: 'prod_team' }
    const after_push = { ...STATE, versions: [team, ...STATE.versions] }
    const file = read(
      '# Mine\napp: a\npulled: old\nversions:\n  # The new one\n  - name: Team # crew\n    prices: []\n  - product_id: prod_pro\n    name: Pro\n',
    )
    noteWritten(file, after_push)
    const written = readFileSync(path, 'utf8')
    assert.equal(
      written,
      `# Mine\napp: a\npulled: ${fingerprint(after_push)}\nversions:\n  # The new one\n  - product_id: prod_team\n    name: Team # crew\n    prices: []\n  - product_id: prod_pro\n    name: Pro\n`,
    )
  })
})

describe('the calls of a push', () => {
  const wanted = (change: Partial<AppState>): AppState => ({ ...STATE, ...change })
  const tools = (state: AppState) =>
    [versionsCall(STATE, state), ...callsFor(STATE, state), featuresCall(STATE, state)].flatMap(
      (call) => (call ? [call.tool] : []),
    )

  test('are none for the same state', () => {
    assert.deepEqual(tools(structuredClone(STATE)), [])
    assert.deepEqual(descriptionCalls(STATE, STATE.versions), [])
  })

  test('send only the texts that changed, and whole lists', () => {
    const listing = { ...STATE.listing, tagline: 'New', tags: [] }
    assert.deepEqual(callsFor(STATE, wanted({ listing, sections: [] })), [
      { tool: 'update_app_listing', args: { tagline: 'New', tags: [] } },
      { tool: 'replace_detail_sections', args: { sections: [] } },
    ])
  })

  test('replace plans for a price or an order, and not for a description', () => {
    const [free, pro] = STATE.versions as [typeof PRO, typeof PRO]
    assert.deepEqual(tools(wanted({ versions: [pro, free] })), ['replace_versions'])
    const described = [free, { ...pro, description: 'Less.' }]
    assert.deepEqual(tools(wanted({ versions: described })), [])
    assert.deepEqual(descriptionCalls(STATE, described), [
      {
        tool: 'update_product_description',
        args: { product_id: 'prod_pro', description: 'Less.' },
      },
    ])
  })

  test('name a new plan only once it has its ID', () => {
    const { product_id: _, ...team } = { ...PRO, name: 'Team' }
    const features = [{ name: 'Alerts', description: '', product_ids: ['Team', 'Pro'] }]
    const content = { app: 'a', pulled: 'b', features, versions: [...STATE.versions, team] }
    const state = wantedState(content, STATE)
    assert.deepEqual(unknownPlans(state), [])
    assert.deepEqual(idsOf(featuresCall(STATE, state)), ['prod_pro'])
    const written = withNewIds(state, [{ id: 'prod_team', name: 'Team' }])
    assert.deepEqual(idsOf(featuresCall(STATE, written)), ['prod_team', 'prod_pro'])
    const rehearsed = descriptionCalls(STATE, state.versions, 'prod_free')
    assert.equal(rehearsed[0]?.args.product_id, 'prod_free')
    assert.equal(descriptionCalls(STATE, written.versions)[0]?.args.product_id, 'prod_team')
  })

  function idsOf(call: ReturnType<typeof featuresCall>): string[] | undefined {
    const [row] = (call?.args.features ?? []) as AppState['features']
    return row?.product_ids
  }

  test('refuse feature rows with plans that the file does not have', () => {
    const features = [{ name: 'Alerts', description: '', product_ids: ['prod_pro', 'pro'] }]
    assert.deepEqual(
      unknownPlans(wanted({ features })).map((fault) => fault.path),
      ['features[0].product_ids[1]'],
    )
  })
})

describe('conflicting changes since the pull', () => {
  const pulled = fingerprint(STATE)
  const wanted: AppState = {
    ...STATE,
    listing: { ...STATE.listing, tagline: 'Mine' },
    versions: [STATE.versions[0]!, { ...PRO, description: 'Mine.' }],
  }
  const foreign = (remote: Partial<AppState>) =>
    foreignParts(pulled, { ...STATE, ...remote }, wanted)

  test('is nothing, where each part is as it was pulled or as the file wants it', () => {
    assert.deepEqual(foreign({}), [])
    assert.deepEqual(foreign({ listing: wanted.listing }), [])
    assert.deepEqual(foreign({ versions: wanted.versions }), [])
    assert.deepEqual(foreignParts(pulled, wanted, wanted), [])
  })

  test('is each part that is neither', () => {
    const [free] = STATE.versions as [typeof PRO]
    const cases: [Partial<AppState>, string[]][] = [
      [{ listing: { ...STATE.listing, tagline: 'Theirs' } }, ['listing']],
      [{ listing: { ...wanted.listing, tags: [] } }, ['listing']],
      [{ sections: [] }, ['sections']],
      [{ versions: [free, { ...PRO, description: 'Theirs.' }] }, ['prod_pro.description']],
      [{ versions: [free, { ...PRO, name: 'Best' }] }, ['versions']],
      [{ versions: [free, { ...PRO, prices: [] }] }, ['versions']],
      [
        { features: [{ ...STATE.features[0]!, name: 'Alarms' }] },
        ['features', 'prod_pro.features'],
      ],
      [{ features: [{ ...STATE.features[0]!, product_ids: [] }] }, ['prod_pro.features']],
    ]
    for (const [remote, parts] of cases) assert.deepEqual(foreign(remote), parts)
  })

  test('is not what the deletion of a plan removes from feature rows', () => {
    const [free] = STATE.versions as [typeof PRO]
    const features = [{ ...STATE.features[0]!, product_ids: [] }]
    const fewer = { ...STATE, versions: [free], features }
    assert.deepEqual(foreignParts(pulled, fewer, { ...fewer, sections: [] }), [])
    // The file still has the plan: someone else deleted it.
    const deleted = { ...STATE, versions: [free], features }
    assert.deepEqual(foreignParts(pulled, deleted, STATE), [
      'versions',
      'prod_pro.description',
      'prod_pro.features',
    ])
  })

  test('a field of a plan that the file leaves out stays as the service has it', () => {
    const text = 'versions:\n  - product_id: prod_free\n    name: Zero\n  - name: Team\n'
    const { content } = read(`app: a\npulled: ${pulled}\n${text}`)
    const [free, team] = wantedState(content, STATE).versions
    assert.deepEqual(free, { ...STATE.versions[0], name: 'Zero' })
    assert.deepEqual(team, { name: 'Team', description: '', is_free: false, prices: [] })
  })

  test('a new plan of the file gets the ID that an interrupted push gave it, and no other', () => {
    const { product_id: _, ...team } = { ...PRO, name: 'Team' }
    const content = { app: 'a', pulled, versions: [...STATE.versions, team] }
    const stored = { ...team, product_id: 'prod_team' }
    const remote = { ...STATE, versions: [...STATE.versions, stored] }
    assert.equal(wantedState(content, remote).versions[2]?.product_id, 'prod_team')
    const known = { ...content, pulled: fingerprint(remote) }
    assert.equal(wantedState(known, remote).versions[2]?.product_id, undefined)
  })
})
