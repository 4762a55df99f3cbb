import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { EVERY_VIEW, RULES_STRIDE } from '../support/budget.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const COLORS: readonly ('dark' | 'light')[] = EVERY_VIEW ? ['dark', 'light'] : ['light']
const EVERY_RULE = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}

let checked = 0

/**
 * Checks the open page on a phone and on a desktop, in both color schemes, and returns the
 * problems: violations of WCAG 2.2 A and AA or of best practice, a page wider than its screen, also
 * with text at twice its size, a column of a table out of sight, controls side by side but not on
 * one line, different actions with one name, a field without a label. `npm test` checks the rules
 * on the light desktop page only, and on every third page.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found: string[] = []
  const checksRules = checked++ % RULES_STRIDE === 0
  if (checksRules) await page.evaluate(AXE)
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of checksRules && (width === 1280 || EVERY_VIEW) ? COLORS : []) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      found.push(...(await ruleBreaches(page)).map((each) => `${width}, ${colorScheme}: ${each}`))
    }
    found.push(...(await overflow(page, width)))
    found.push(...(width === 375 ? await hiddenFigures(page) : await hiddenColumns(page)))
    found.push(...(await unalignedControls(page)).map((each) => `${width}: ${each}`))
    found.push(...(await indistinctActions(page)).map((each) => `${width}: ${each}`))
  }
  await page.setViewportSize({ width: 320, height: 800 })
  found.push(...(await overflow(page, 320)))
  found.push(...(await overflowOfLargeText(page)))
  await page.setViewportSize({ width: 1280, height: 900 })
  const fields = page.locator('input:not([type=hidden], [hidden]), select, textarea')
  const unlabeled = await fields.evaluateAll((all) =>
    all.filter((field) => !(field as HTMLInputElement).labels?.length).map((f) => f.outerHTML),
  )
  return [...found, ...unlabeled.map((field) => `no label: ${field}`)]
}

async function ruleBreaches(page: Page): Promise<string[]> {
  const options = { runOnly: EVERY_RULE, resultTypes: ['violations'], preload: false }
  const script = `axe.run(document, ${JSON.stringify(options)})`
  const { violations } = await page.evaluate<AxeResults>(script)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** The amounts of a table that a phone shows only after scrolling sideways. */
async function hiddenFigures(page: Page): Promise<string[]> {
  const figures = page.locator('td.tabular-nums')
  return await figures.evaluateAll((all) =>
    all
      .filter((cell) => cell.getBoundingClientRect().right > innerWidth)
      .map((cell) => `out of sight: ${cell.textContent}`),
  )
}

/** The last columns of tables of records that a desktop shows only after scrolling sideways. */
async function hiddenColumns(page: Page): Promise<string[]> {
  const tables = page.locator('section:has(> table.whitespace-nowrap > caption)')
  return await tables.evaluateAll((all) =>
    all
      .filter((table) => table.scrollWidth > table.clientWidth)
      .map((table) => `scrolls sideways: ${table.getAttribute('aria-label')}`),
  )
}

/** The controls of a form that are side by side, but not on one line. */
async function unalignedControls(page: Page): Promise<string[]> {
  const forms = page.locator('form')
  return await forms.evaluateAll((all) =>
    all.flatMap((form) => {
      const controls = [...form.querySelectorAll('input, select, button, a.btn')]
        .filter((control) => !control.matches('[type=checkbox], [type=radio], [type=hidden]'))
        .filter((control) => control.checkVisibility())
        .map((control) => ({ control, box: control.getBoundingClientRect() }))
      return controls.flatMap(({ control, box }, index) =>
        controls
          .slice(index + 1)
          .filter(({ box: other }) => {
            const isBeside = box.right <= other.left || other.right <= box.left
            const overlap = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top)
            const offset = box.top + box.bottom - other.top - other.bottom
            return isBeside && overlap > 1 && Math.abs(offset) > 4
          })
          .map(({ control: other }) => `not on one line: ${control.outerHTML} ${other.outerHTML}`),
      )
    }),
  )
}

/**
 * Buttons, and links that look like one, that have the same name and another effect, and that
 * nothing describes, such as their record. The documentation repeats some beside its code.
 */
async function indistinctActions(page: Page): Promise<string[]> {
  if (/^\/(api\/v1\/)?docs\//.test(new URL(page.url()).pathname)) return []
  const actions = page.locator('main :is(a.btn, button):not([aria-describedby]):visible')
  return await actions.evaluateAll((all) => {
    const names = all.map((each) => each.getAttribute('aria-label') ?? each.textContent?.trim())
    const effects = all.map((each, index) => each.getAttribute('href') ?? String(index))
    return names.filter((name, index) => effects[names.indexOf(name)] !== effects[index])
  })
}

async function overflow(page: Page, width: number): Promise<string[]> {
  const wide = await page.evaluate('document.documentElement.scrollWidth')
  return wide === width ? [] : [`${width}: scrolls sideways to ${wide}`]
}

/** Like `overflow`, on a phone whose owner has doubled the size of text (WCAG 1.4.4). */
async function overflowOfLargeText(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 375, height: 800 })
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  const found = await overflow(page, 375)
  await page.evaluate("document.documentElement.style.fontSize = ''")
  return found.map((each) => `text at 200%: ${each}`)
}
