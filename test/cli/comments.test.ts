/** The comments of a file that a pull replaces. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readListingFile, stateText, writeState } from '../../packages/cli/src/listing/file.ts'
import type { AppState } from '../../packages/cli/src/listing/state.ts'

const plan = (name: string, amount: string) => ({
  product_id: `prod_${name}`,
  name,
  description: 'Everything.',
  is_free: false,
  prices: [{ amount, frequency: 'month' }],
})
const STATE: AppState = {
  listing: {
    tagline: 'Tides',
    description: 'First line.\nSecond line.',
    listing_mode: 'marketplace',
    categories: ['Coast'],
    industries: [],
    tags: ['sea', 'sun'],
  },
  sections: [{ title: 'What', body: '<p>One</p>' }],
  features: [{ name: 'Alerts', description: '', product_ids: ['prod_Pro'] }],
  versions: [plan('Basic', '5.00'), plan('Pro', '12.00')],
}

const folder = mkdtempSync(join(tmpdir(), 'purser-comments-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'purser.yaml')

/** The file after a pull of a state over a file with this text. */
function pulled(text: string, state: AppState): string {
  writeFileSync(path, text)
  const { document } = readListingFile(path)
  writeState(path, state, 'tidepool', document)
  return readFileSync(path, 'utf8')
}

test('a pull keeps the comments of what is still there', () => {
  const text = `# My notes\n${stateText(STATE, 'tidepool')}\n# The end\n`
    .replace('  tagline: Tides', '  # Short\n  tagline: Tides # approved')
    .replace('    - sun', '    # Summer only\n    - sun')
    .replace('  - product_id: prod_Pro', '  # For crews\n  - product_id: prod_Pro')
    .replace('amount: "12.00"', 'amount: "12.00" # since May')
  assert.equal(pulled(text, STATE), text)
  const [basic, pro] = STATE.versions
  const changed = { ...STATE, versions: [{ ...pro!, name: 'Crew' }, basic!] }
  const written = pulled(text, changed)
  assert.match(written, /^# My notes\n# The listing/)
  assert.match(written, /\n {2}# Short\n {2}tagline: Tides # approved\n/)
  assert.match(written, / {2}# For crews\n {2}- product_id: prod_Pro\n {4}name: Crew\n/)
  assert.match(written, /amount: "12\.00" # since May\n/)
  assert.match(written, /- prod_Pro # Crew\n/)
  assert.match(written, /\n# The end\n$/)
})

test('a pull drops the comments of what was removed', () => {
  const text = stateText(STATE, 'tidepool').replace('    - sun', '    - sun # Summer only')
  const listing = { ...STATE.listing, tags: ['sea'] }
  assert.equal(pulled(text, { ...STATE, listing }), stateText({ ...STATE, listing }, 'tidepool'))
})
