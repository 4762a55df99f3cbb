import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  ALLOWED_ELEMENTS,
  cleanHtml,
  readFeatures,
  readNames,
  readSections,
  readText,
} from '#domain/listing'
import { testId } from '../support/ids.ts'

const ELEMENTS = ALLOWED_ELEMENTS.filter((each) => each !== 'a').join('|')
const LINK = '<a href="https://[^"<>\\s]*" rel="nofollow noopener noreferrer" target="_blank">'
/** All possible sanitized HTML: plain characters, elements without attributes, and links. */
const CLEAN = new RegExp(`^(?:[^<>&]|&(?:amp|lt|gt|quot);|</?(?:${ELEMENTS})>|</a>|${LINK})*$`, 'u')

/** Known ways to run code through displayed HTML. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<svg/onload=alert(1)>',
  '<svg><script>alert&#40;1)</script>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe><p title="</iframe><img src=x onerror=alert(1)>"></iframe>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<template><script>alert(1)</script></template>',
  '<xmp><p title="</xmp><svg/onload=alert(1)>">',
  '<textarea></textarea><img src=x onerror=alert(1)>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<p onclick="alert(1)" onmouseover=alert(1)>x</p>',
  '<p/onmouseover=alert(1)//x>y',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58&#97">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="//evil.example">x</a>',
  '<a href="http://evil.example">x</a>',
  '<a href="https:evil.example" onclick=alert(1)>x</a>',
  '<a href="https://a.example/&quot;onmouseover=&quot;alert(1)">x</a>',
  '<a href="https://user:word@evil.example">x</a>',
  '<a target="_self" rel="opener" href="https://a.example/">x</a>',
  '<form action="https://evil.example"><input name=password><button>x</button></form>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<object data="https://evil.example/x.swf"></object><embed src=x>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><x xmlns:a="b"><a:script>alert(1)</a:script></x>',
  '<<script>alert(1)//<</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<p title="<script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;script&amp;gt;',
  '<div><style>@import "https://evil.example/x.css";</style></div>',
  '<video><source onerror="alert(1)"></video><audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<select><option><script>alert(1)</script></option></select>',
  '<plaintext><script>alert(1)</script>',
  '<a href="https://a.example"><a href="javascript:alert(1)">x</a></a>',
]

describe('the HTML of a section', () => {
  test('keeps allowed HTML unchanged', () => {
    const body =
      '<h3>Why</h3><p>It is <strong>plain</strong>, <em>kind</em> &amp; <b>b</b><i>i</i><u>u</u>.<br>' +
      '<code>x &lt; y</code></p><ul><li>one</li></ul><ol><li>two</li></ol><h4>And</h4>' +
      '<pre>a\n  b</pre><blockquote>so it is</blockquote>'
    assert.equal(cleanHtml(body), body)
  })

  test('allows only https links, which open in a new window without access to this one', () => {
    assert.equal(
      cleanHtml('<a href="https://tides.example/a?b=1&amp;c=2" title="x" class="y">tides</a>'),
      '<a href="https://tides.example/a?b=1&amp;c=2" rel="nofollow noopener noreferrer" ' +
        'target="_blank">tides</a>',
    )
  })

  test('keeps the text of other elements, and removes scripts and styles entirely', () => {
    const body =
      '<div><h1>Big</h1> <a href="/x">here</a> <script>no()</script><style>no</style></div>'
    assert.equal(cleanHtml(body), 'Big here')
  })

  for (const sample of HOSTILE) {
    test(`sanitizes ${sample}`, () => {
      const clean = cleanHtml(sample)
      assert.match(clean, CLEAN)
      assert.equal(cleanHtml(clean), clean)
    })
  }

  test('sanitizes any combination of such pieces to allowed HTML, and leaves it unchanged the second time', () => {
    const piece = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '/',
        '&',
        '\0',
        '<p',
        '<a ',
        'href=',
        '</',
        '<!--',
        '-->',
      ),
      fc.constantFrom(
        '<b>',
        '</b>',
        '<ul><li>',
        '</li>',
        '<pre>',
        '</p>',
        '<br/>',
        '<A HREF=https:x>',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc
        .tuple(fc.constantFrom(...HOSTILE), fc.nat(80), fc.nat(80))
        .map(([text, from, size]) => text.slice(from, from + size)),
    )
    const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const clean = cleanHtml(pieces.join(''))
      assert.match(clean, CLEAN)
      assert.equal(cleanHtml(clean), clean)
    })
    fc.assert(property, { numRuns: 20_000, seed: 26 })
  })
})

describe('detail sections', () => {
  const section = (title: string, body: string) => ({ title, body })
  const at = (...sections: { title: string; body: string }[]) =>
    readSections(sections).faults.map(({ path }) => path)

  test('accepts up to four sections, including none', () => {
    const list = Array.from({ length: 5 }, () => section('A', '<p>b</p>'))
    assert.deepEqual(at(...list.slice(1)), [])
    assert.deepEqual(at(...list), ['sections'])
    assert.deepEqual(at(), [])
  })

  test('a title has up to 120 characters and a body 4,000, with an emoji counted as one', () => {
    assert.deepEqual(at(section('😀'.repeat(120), '😀'.repeat(4000))), [])
    assert.deepEqual(at(section('😀'.repeat(121), '😀'.repeat(4001))), [
      'sections[0].title',
      'sections[0].body',
    ])
  })

  test('counts escaped characters as one', () => {
    assert.deepEqual(at(section('A', '&'.repeat(4000))), [])
    assert.deepEqual(at(section('A', '&amp;'.repeat(4000))), [])
    assert.deepEqual(at(section('A', '&amp;'.repeat(4001))), ['sections[0].body'])
  })

  test('does not count what sanitizing adds to a link, but counts what it closes', () => {
    const link = '<a href="https://a.example/">x</a>'
    const full = link.repeat(100) + 'x'.repeat(4000 - 100 * link.length)
    assert.deepEqual(at(section('A', full)), [])
    const kept = readSections([section('A', full)]).value
    assert.deepEqual(at(...kept), [])
    assert.deepEqual(at(section('A', `${'<b>'.repeat(10)}${'x'.repeat(3960)}`)), [
      'sections[0].body',
    ])
  })

  test('rejects a body that is empty after sanitizing', () => {
    assert.deepEqual(at(section('A', '<script>x</script>'), section('A', ' ')), [
      'sections[0].body',
      'sections[1].body',
    ])
  })

  test('control characters are refused, and line ends are normalized', () => {
    assert.deepEqual(at(section('a\u0000', 'b\u0007'), section('a\u202eb', '&#7;x')), [
      'sections[0].title',
      'sections[0].body',
      'sections[1].title',
      'sections[1].body',
    ])
    assert.equal(readSections([section('A', ' a\r\nb\rc ')]).value[0]!.body, 'a\nb\nc')
  })

  test('rejects half a character', () => {
    assert.deepEqual(at(section('a\ud800', 'b')), ['sections[0].title'])
  })
})

describe('the feature table', () => {
  const [a, b] = [testId('prod_a'), testId('prod_b')]
  const productOf = (name: string) => {
    const id = { prod_a: a, old: a, prod_b: b }[name]
    return id ? { id } : { message: 'Unknown.' }
  }
  const feature = { name: 'Log', description: '', product_ids: ['prod_a'] }

  test('keeps a row with its products, by either of their IDs', () => {
    const read = readFeatures([{ ...feature, product_ids: ['old', 'prod_b'] }], productOf)
    assert.deepEqual(read, {
      faults: [],
      value: [{ ...feature, product_ids: ['prod_a', 'prod_b'] }],
    })
  })

  test('reports every error with its path', () => {
    const { faults } = readFeatures(
      [
        { name: '', description: 'x'.repeat(501), product_ids: ['prod_x'] },
        { name: 'x'.repeat(201), description: '', product_ids: ['prod_a', 'old'] },
      ],
      productOf,
    )
    assert.deepEqual(
      faults.map(({ path }) => path),
      [
        'features[0].name',
        'features[0].description',
        'features[0].product_ids[0]',
        'features[1].name',
        'features[1].product_ids[1]',
      ],
    )
  })

  test('accepts a hundred rows, and rejects one more', () => {
    const rows = (count: number) => Array.from({ length: count }, () => feature)
    assert.deepEqual(readFeatures(rows(100), productOf).faults, [])
    assert.deepEqual(
      readFeatures(rows(101), productOf).faults.map(({ path }) => path),
      ['features'],
    )
  })
})

describe('names and lines', () => {
  const at = (names: string[]) => readNames('tags', names).faults.map(({ path }) => path)

  test('a name has 1 to 40 characters, and a list 10 names, without repetition in any case', () => {
    assert.deepEqual(at(['x'.repeat(40), 'y']), [])
    assert.deepEqual(at(['x'.repeat(41), ' ', 'Éa', 'e\u0301A']), ['tags[0]', 'tags[1]', 'tags[3]'])
    assert.deepEqual(at(Array.from({ length: 11 }, (_, index) => `tag ${index}`)), ['tags'])
  })

  test('a line has no line break, and a text may have some', () => {
    const message = (text: string, lines: boolean) =>
      readText('x', text, { most: 20, lines }).faults[0]?.message
    assert.match(message('a\nb', false)!, /single line/)
    assert.equal(message('a\nb', true), undefined)
    assert.match(message('x'.repeat(21), true)!, /Use at most 20 characters. This text has 21/)
  })
})
