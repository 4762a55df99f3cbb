import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { asset } from '#platform/assets'
import { buildAssets } from '../../scripts/build-assets.ts'
import { formatCard, formatExpiry, formatZip } from '../../src/platform/design/browser/format.ts'

before(buildAssets)

describe('input formatting', () => {
  test('a card number is grouped as on the card, however it is entered', () => {
    assert.equal(formatCard('4242424242424242'), '4242 4242 4242 4242')
    assert.equal(formatCard(' 5555-5555 5555\t4444'), '5555 5555 5555 4444')
    assert.equal(formatCard('378282246310005'), '3782 822463 10005')
  })

  test('an expiry date is understood as people and browsers write it', () => {
    for (const written of ['0427', '427', '4/27', '04/27', '04 / 27', '4-2027', '04/2027']) {
      assert.equal(formatExpiry(written), '04 / 27', written)
    }
  })

  test('a ZIP code keeps five digits, and a foreign postal code is left alone', () => {
    assert.equal(formatZip('10001-1234'), '10001')
    assert.equal(formatZip('K1A 0B6'), 'K1A 0B6')
  })

  test('formatting twice changes nothing', () => {
    for (const format of [formatCard, formatExpiry, formatZip]) {
      fc.assert(
        fc.property(fc.stringMatching(/^[\d /.-]{0,24}$/), (text) => {
          assert.equal(format(format(text)), format(text))
        }),
      )
    }
  })
})

type Theme = Record<string, string>

function themes(): Theme[] {
  const css = readFileSync(new URL('../../src/platform/design/style.css', import.meta.url), 'utf8')
  const blocks = [...css.matchAll(/@plugin "daisyui\/theme" \{([^}]*)\}/g)]
  return blocks.map(([, block]) =>
    Object.fromEntries(
      [...block!.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]),
    ),
  )
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

describe('the palette', () => {
  const backgrounds = ['color-base-100', 'color-base-200', 'tone-wash']
  const inks = ['base-content', 'primary', 'info', 'success', 'warning', 'error']

  test('text has a contrast of 4.5 on every background, in both themes', () => {
    assert.equal(themes().length, 2)
    for (const theme of themes()) {
      for (const background of backgrounds) {
        for (const ink of [...inks.map((name) => `color-${name}`), 'tone-muted']) {
          assert.ok(contrast(theme[ink]!, theme[background]!) >= 4.5, `${ink} on ${background}`)
        }
      }
      for (const ink of inks.filter((name) => name !== 'base-content')) {
        assert.ok(contrast(theme[`color-${ink}`]!, theme[`color-${ink}-content`]!) >= 4.5, ink)
      }
    }
  })

  test('the border of a control has a contrast of 3 on every background', () => {
    for (const theme of themes()) {
      for (const background of backgrounds) {
        assert.ok(contrast(theme['tone-edge']!, theme[background]!) >= 3, `edge on ${background}`)
      }
    }
  })
})

describe('the build', () => {
  test('does nothing while its inputs are unchanged', async () => {
    assert.equal((await buildAssets()).built, false)
  })

  test('names each asset by its content and serves it from one path', () => {
    assert.match(asset('app.css'), /^\/assets\/app-[0-9a-f]{12}\.css$/)
    assert.match(asset('app.js'), /^\/assets\/app-[0-9a-f]{12}\.js$/)
    assert.match(asset('passkey.js'), /^\/assets\/passkey-[0-9a-f]{12}\.js$/)
    assert.match(asset('favicon.svg'), /^\/assets\/favicon-[0-9a-f]{12}\.svg$/)
  })

  test('has a rule for each class of a page', () => {
    const css = readFileSync(`.build${asset('app.css')}`, 'utf8').replaceAll('\\', '')
    const pages = globSync('src/**/*.tsx').map((path) => readFileSync(path, 'utf8'))
    const lists = pages.flatMap((text) => [...text.matchAll(/\b(?:class|\w+_class)="([^"]+)"/g)])
    const classes = new Set(lists.flatMap(([, list]) => list!.split(/\s+/)))
    assert.ok(classes.size > 200, `only ${classes.size} classes were found`)
    assert.deepEqual(
      [...classes].filter((name) => !css.includes(`.${name}`)),
      [],
    )
  })

  test('an unknown asset is an error that says what to do', () => {
    assert.throws(() => asset('other.css' as 'app.css'), /run npm run build/)
  })
})
