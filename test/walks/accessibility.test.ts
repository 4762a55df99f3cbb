import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { barriers } from './look.ts'
import { openTourStage, TOURS, type TourStage } from './tours.ts'

let stage: TourStage
before(async () => {
  stage = await openTourStage()
})
after(() => stage.close())

/** Every title that was seen, with the heading under which the page stands. */
const headings = new Map<string, Set<string>>()

for (const [name, tour] of Object.entries(TOURS)) {
  test(`nothing keeps anybody from using a page: ${name}`, async (t) => {
    const page = await stage.visitor(t)
    for await (const stop of tour(stage, page)) {
      assert.equal((await barriers(page)).join('\n'), '', stop)
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
