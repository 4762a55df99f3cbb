import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import IntlMessageFormat from 'intl-messageformat'
import { readLanguages } from '#platform/language/languages'
import { ENGLISH, type MessageId, openLocale } from '#platform/language/locale'
import { cents } from '#platform/money'
import {
  MESSAGES,
  PSEUDO,
  pseudo,
  readCatalog,
  withPseudoLocale,
} from '../support/pseudo-locale.ts'

const TRANSLATED = [
  'src/surfaces/{checkout,signin,portal,emails}/*.{ts,tsx}',
  'src/surfaces/account/{overview,entr,factor,confirm,connections,deletion,live,profile,titled}*.{ts,tsx}',
  'src/surfaces/oidc/{agent-page,consent,sign-out}*.tsx',
  'src/surfaces/http/{,guards/unproven}*.{ts,tsx}',
  'src/platform/{design,pdf}/*.{ts,tsx}',
  'src/platform/text.ts',
  'src/domain/{payments,discounts}/*.ts',
  'src/sandbox/*.{ts,tsx}',
]

const ENGLISH_MESSAGES = readCatalog('en')
const IDS = Object.keys(ENGLISH_MESSAGES) as MessageId[]

/** The placeholders and tags of a message. */
function placeholders(text: string): string[] {
  const names = new Set<string>()
  const visit = (elements: object[]) => {
    for (const element of elements as Element[]) {
      // 0 is literal text, 7 the number of a plural.
      if (element.type !== 0 && element.type !== 7) names.add(String(element.value))
      for (const { value } of Object.values(element.options ?? {})) visit(value)
      visit(element.children ?? [])
    }
  }
  visit(new IntlMessageFormat(text, 'en').getAst())
  return [...names].sort()
}

interface Element {
  type: number
  value: unknown
  options?: Record<string, { value: object[] }>
  children?: object[]
}

describe('the catalogs', () => {
  const others = readdirSync(MESSAGES)
    .map((file) => file.replace(/\.json$/, ''))
    .filter((language) => language !== 'en')

  for (const language of others) {
    test(`${language} has the messages of English, with the same placeholders`, () => {
      const catalog = readCatalog(language)
      assert.deepEqual(Object.keys(catalog).sort(), [...IDS].sort())
      for (const id of IDS) {
        assert.deepEqual(placeholders(catalog[id]!), placeholders(ENGLISH_MESSAGES[id]!), id)
      }
    })
  }

  test('Spanish addresses its reader as usted', () => {
    const informal = Object.entries(readCatalog('es')).filter(([, text]) =>
      /(?<!\p{L})(tú|tu|tus|ti|te|contigo|puedes|tienes|quieres|haz|elige)(?!\p{L})/iu.test(text),
    )
    assert.deepEqual(informal, [])
  })

  test('Spanish names the choices of the dashboard in English, as they are there', () => {
    const { t } = readLanguages().named('es')
    assert.match(t('account.confirm_test_mode'), /“Test mode”/)
    assert.match(readCatalog('es')['signin.seller_text']!, /“Test mode”/)
  })

  test('a message that a catalog lacks is in English', () => {
    const { t } = openLocale('es', { 'layout.skip': 'Ir al contenido' })
    assert.equal(t('layout.skip'), 'Ir al contenido')
    assert.equal(t('layout.order_summary'), 'Order summary')
  })

  test('a value that a placeholder needs cannot be left out', () => {
    assert.throws(() => ENGLISH.t('checkout.pay'), /amount/)
  })
})

/** A call of `t` or `rich`: its id, or the pattern of its id, and the names of its values. */
interface Call {
  id: string
  values: string[] | undefined
  where: string
}

const sources = TRANSLATED.flatMap((pattern) => globSync(pattern)).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

/** The calls whose id is written in them. */
function calls(): Call[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:t|rich)\(\s*(['`])([\w.${}?]+)\1(,?)/g)].map((call) => {
      const [whole, , id, comma] = call
      const rest = text.slice(call.index + whole.length)
      return { id: id!, values: comma ? namesIn(rest) : [], where: path }
    }),
  )
}

/** The keys of the object with which a text begins; undefined if it is not written there. */
function namesIn(text: string): string[] | undefined {
  if (!/^\s*\{/.test(text) || /^\s*\{[^}]*\.\.\./.test(text)) return undefined
  const names: string[] = []
  let depth = 0
  let isKey = false
  for (const [token] of text.matchAll(/=>|<\/?|>|[{}()[\],]|\w+|\S/g)) {
    if ('{(['.includes(token)) depth++
    if (depth === 1 && (token === '{' || token === ',')) isKey = true
    else if (depth === 1 && isKey) {
      if (token === '}') break
      names.push(token)
      isKey = false
    }
    if ('})]'.includes(token) && --depth === 0) break
  }
  return names.sort()
}

describe('the calls', () => {
  test('pass the values that the placeholders of their message need', () => {
    const faulty = calls()
      .filter(({ id, values }) => values !== undefined && !id.includes('$'))
      .map(({ id, values, where }) => ({ where, id, values, needs: placeholders(textOf(id)) }))
      .filter(({ values, needs }) => String(values) !== String(needs))
    assert.deepEqual(faulty, [])
    assert.ok(calls().length > 300)
  })

  test('no message is left that nothing uses', () => {
    const whole = sources.map(({ text }) => text).join('\n')
    const literal = new Set([...whole.matchAll(/['`]([a-z_]+\.[\w]+)['`]/g)].map(([, id]) => id!))
    const patterns = [...whole.matchAll(/`([a-z_]+\.[\w]*\$\{[^`]*)`/g)].map(
      ([, id]) => new RegExp(`^${id!.replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '\\w+')}$`),
    )
    const unused = IDS.filter((id) => !literal.has(id) && !patterns.some((each) => each.test(id)))
    assert.deepEqual(unused, [])
  })

  test('every id is of a message', () => {
    const unknown = calls().filter(({ id }) => !id.includes('$') && !(id in ENGLISH_MESSAGES))
    assert.deepEqual(unknown, [])
  })
})

function textOf(id: string): string {
  return ENGLISH_MESSAGES[id] ?? ''
}

/** What staff and sellers see, which is in English. */
const IN_ENGLISH = [
  'src/surfaces/signin/staff-link-pages.tsx',
  'src/surfaces/emails/mailbox-pages.tsx',
  'src/sandbox/account-page.tsx',
]

describe('the pages for buyers', () => {
  test('have no words of their own: every text comes from the catalog', () => {
    const pages = globSync([
      'src/surfaces/{checkout,signin,portal,emails}/*.tsx',
      'src/surfaces/account/{overview,entry,factor,confirm,connections,deletion,live,profile}*.tsx',
      'src/surfaces/oidc/{agent-page,consent,sign-out}*.tsx',
      'src/surfaces/http/{error,export,redirect,task,guards/unproven}-page.tsx',
      'src/sandbox/*.tsx',
    ]).filter((path) => !IN_ENGLISH.includes(path))
    assert.ok(pages.length > 20)
    const found = pages.flatMap((path) =>
      visibleWords(readFileSync(path, 'utf8')).map((words) => `${path}: ${words}`),
    )
    assert.deepEqual(found, [])
  })

  test('a text that is written in a page is found', () => {
    const page = `<Field label="Email" hint={a && 'Not spam.'} />\n<p>\n  Some text.\n</p><i>With {it}</i>`
    assert.deepEqual(visibleWords(page), ['Some text.', 'With', 'Email', 'Not spam.'])
  })
})

/** Code between two elements, which no text looks like. */
const CODE = /^[,)\]]|^return\b|[()[\]]|\bfunction\b/

/** Names, which are the same in every language: of the service, and of a font. */
const NAMES = ['Purser', 'Segoe UI']

/** The texts that a reader of a page would see, written in its source. */
function visibleWords(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\s\/\/.*$/gm, '')
  const children = [...code.matchAll(/[\w"'}]\s*\/?>\s*([^<>{}=;]*[A-Za-z]{2,}[^<>{}=;()]*)[<{]/g)]
  const attributes = [
    ...code.matchAll(
      /\b(?:label|title|hint|pending|placeholder|alt|aria-label|summary)="([^"]+)"/g,
    ),
  ]
  // A sentence, or a word that begins like one; names of fields and styles do not.
  const strings = [...code.matchAll(/(?<![=\w(])['`]([A-Z][a-z]+(?:[ .…,:][^'`]*)?)['`]/g)]
  return [children, attributes, strings].flatMap((all) =>
    all
      .map(([, words]) => words!.trim())
      .filter((words) => /[A-Za-z]{2,}/.test(words) && !CODE.test(words))
      .filter((words) => !NAMES.includes(words)),
  )
}

describe('a language', () => {
  const languages = withPseudoLocale()
  const tags = languages.all.map(({ language }) => language)

  test('is added by a file, and nothing else', () => {
    assert.deepEqual(tags, ['en', PSEUDO, 'es'])
    assert.equal(
      languages.named(PSEUDO).t('checkout.pay', { amount: '$12.00' }),
      pseudo('Pay {amount}').replace('{amount}', '$12.00'),
    )
    assert.equal(readLanguages().readTag(PSEUDO), undefined)
  })

  test('is named in itself', () => {
    const names = readLanguages().all.map(({ name }) => name)
    assert.deepEqual(names, ['English', 'Español'])
  })

  const preferences: [header: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['es', 'es'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en-US,en;q=0.9,es;q=0.8', 'en'],
    ['fr,es;q=0.5', 'es'],
    ['de', 'en'],
    ['es;q=0,en', 'en'],
    ['*', 'en'],
    [`${'es,'.repeat(400)}es`, 'en'],
    ['\u0000;;q=x,,', 'en'],
  ]
  for (const [header, language] of preferences) {
    test(`of a browser that sends ${JSON.stringify(header)?.slice(0, 40)} is ${language}`, () => {
      assert.equal(readLanguages().preferred(header).language, language)
    })
  }
})

describe('amounts and dates', () => {
  const spanish = readLanguages().named('es')
  const day = new Date('2026-11-23T00:00:00Z')

  test('are those of the United States, in the words of the language', () => {
    assert.equal(ENGLISH.money(cents(123456)), '$1,234.56')
    assert.equal(spanish.money(cents(123456)), '$1,234.56')
    assert.equal(spanish.money(cents(-7)), '−$0.07')
    assert.equal(ENGLISH.day(day), 'November 23, 2026')
    assert.equal(spanish.day(day), '23 de noviembre de 2026')
    assert.equal(spanish.country('US'), 'Estados Unidos')
  })

  test('are listed with the words of the language', () => {
    assert.equal(ENGLISH.list(['a', 'b', 'c']), 'a, b, and c')
    assert.equal(spanish.list(['a', 'b', 'c']), 'a, b y c')
  })

  test('count in the plural of the language', () => {
    assert.equal(spanish.t('duration.seconds', { count: 1 }), '1 segundo')
    assert.equal(spanish.t('duration.seconds', { count: 45 }), '45 segundos')
  })
})
