import IntlMessageFormat from 'intl-messageformat'
import type { ComponentChildren } from 'preact'
import type { Cents } from '#platform/money'
import english from './messages/en.json' with { type: 'json' }

/** The id of a message: its surface, and its name within that surface. */
export type MessageId = keyof typeof english

/** The messages of a language by their ids, in ICU MessageFormat. */
export type Catalog = Partial<Record<MessageId, string>>

/** The values of a message's placeholders. */
export type MessageValues = Record<string, string | number>

/** What a message's placeholders and tags become in a page. */
export type RichValues = Record<
  string,
  ComponentChildren | ((children: ComponentChildren) => ComponentChildren)
>

/** A language as pages, emails and PDFs use it: its messages, dates, amounts and lists. */
export interface Locale {
  /** As in `lang`, such as `es`: the name of its catalog. */
  language: string
  /** The language's name in itself, such as "Español". */
  name: string
  direction: 'ltr' | 'rtl'
  /** A message. Throws if a value of its placeholders is missing. */
  t(id: MessageId, values?: MessageValues): string
  /** A message with elements in place of its placeholders and tags. */
  rich(id: MessageId, values: RichValues): ComponentChildren
  /** US dollars: 123456 cents are `$1,234.56`, and -7 are `−$0.07` (U+2212). */
  money(amount: Cents): string
  /** A calendar day in UTC, as "June 30, 2026". */
  day(date: Date): string
  /** An instant in UTC without the zone's name, as "June 30, 2026 at 4:05 PM". */
  moment(at: Date): string
  /** The name of a country by its ISO code. */
  country(code: string): string
  /** Phrases as one: "a, b, and c". */
  list(phrases: string[]): string
  /** Orders texts as this language does. */
  compare(left: string, right: string): number
  /** A text that goes on within a sentence, in lower case. */
  lower(text: string): string
}

const MINUS = '\u2212'

/** A formatted number with the minus sign of amounts in place of the hyphen that `Intl` writes. */
export function withMinus(number: string): string {
  return number.replace('-', MINUS)
}

/** The locale of a language; messages that its catalog lacks are in English. */
export function openLocale(language: string, catalog: Catalog): Locale {
  const tag = regionalTag(language)
  const { t, rich } = messagesOf(tag, catalog)
  const dollars = new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD' })
  const day = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' })
  const moment = new Intl.DateTimeFormat(tag, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const countries = new Intl.DisplayNames(tag, { type: 'region' })
  const list = new Intl.ListFormat(tag)
  const collator = new Intl.Collator(tag)
  return {
    language,
    name: nameOf(tag, language),
    direction: directionOf(tag),
    t,
    rich,
    money: (amount) => formatDollars(dollars, amount),
    day: (date) => day.format(date),
    moment: (at) => moment.format(at),
    country: (code) => countries.of(code) ?? code,
    list: (phrases) => list.format(phrases),
    compare: (left, right) => collator.compare(left, right),
    lower: (text) => text.toLocaleLowerCase(tag),
  }
}

/** The tag for dates and amounts: buyers are in the United States. */
function regionalTag(language: string): string {
  const locale = new Intl.Locale(language)
  return locale.region ? locale.toString() : `${locale.toString()}-US`
}

function nameOf(tag: string, language: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

function directionOf(tag: string): 'ltr' | 'rtl' {
  // TypeScript does not declare it yet.
  const locale: Intl.Locale & { getTextInfo?(): { direction?: 'ltr' | 'rtl' } } = new Intl.Locale(
    tag,
  )
  return locale.getTextInfo?.().direction ?? 'ltr'
}

function formatDollars(dollars: Intl.NumberFormat, amount: Cents): string {
  const exact = BigInt(amount)
  const size = exact < 0n ? -exact : exact
  const decimal = `${size / 100n}.${String(size % 100n).padStart(2, '0')}`
  return `${exact < 0n ? MINUS : ''}${dollars.format(decimal as Intl.StringNumericLiteral)}`
}

/** The two ways to read a catalog. Each message is parsed once, when it is first used. */
function messagesOf(tag: string, catalog: Catalog): Pick<Locale, 't' | 'rich'> {
  const parsed = new Map<MessageId, IntlMessageFormat>()
  const messageOf = (id: MessageId) => {
    let message = parsed.get(id)
    if (!message) {
      const text = catalog[id]
      message = text === undefined ? fallbackOf(id) : new IntlMessageFormat(text, tag)
      parsed.set(id, message)
    }
    return message
  }
  return {
    t: (id, values) => String(messageOf(id).format(values)),
    rich: (id, values) => {
      const parts = messageOf(id).formatToParts(values as Record<string, never>)
      return parts.map(({ value }) => value as ComponentChildren)
    },
  }
}

function fallbackOf(id: MessageId): IntlMessageFormat {
  return new IntlMessageFormat(english[id], 'en-US')
}

/** English, which every other language follows. */
export const ENGLISH = openLocale('en', english)
