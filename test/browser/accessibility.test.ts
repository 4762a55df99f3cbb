import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LONG } from '../support/budget.ts'
import { accessibilityProblems } from './accessibility.ts'
import { openPagesTest, PAGE_TOURS, type PagesTest } from './every-page.ts'

let setup: PagesTest
before(async () => {
  setup = await openPagesTest()
})
after(() => setup.close())

/** Every title that was seen, with the heading of the page. */
const headings = new Map<string, Set<string>>()

for (const [name, tour] of Object.entries(PAGE_TOURS)) {
  test(`every page is accessible: ${name}`, LONG, async (t) => {
    const page = await setup.newPage(t)
    for await (const stop of tour(setup, page)) {
      assert.equal((await accessibilityProblems(page)).join('\n'), '', stop)
      const heading = await page.getByRole('heading', { level: 1 }).textContent()
      const title = await page.title()
      headings.set(title, (headings.get(title) ?? new Set()).add(heading ?? ''))
    }
  })
}

test('no two pages share a title', () => {
  const shared = [...headings].filter(([, of]) => of.size > 1).map(([title, of]) => [title, ...of])
  assert.deepEqual(shared, [])
})
