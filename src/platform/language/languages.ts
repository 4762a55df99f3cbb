import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Negotiator from 'negotiator'
import { z } from 'zod'
import { type Catalog, ENGLISH, type Locale, openLocale } from './locale.ts'

/** The languages of the pages, emails and PDFs for buyers. */
export interface Languages {
  /** English first, then by their names. */
  all: readonly Locale[]
  /** The language with this tag; English if there is none. */
  named(tag: string | null | undefined): Locale
  /** The tag, if it names a supported language. */
  readTag(text: string | undefined): string | undefined
  /**
   * The tag of the first supported language, for `ui_locales` of OpenID Connect: BCP 47 tags
   * separated by spaces, preferred first. An unsupported region is ignored.
   */
  firstOf(tags: string): string | undefined
  /** The language that a browser prefers, by its Accept-Language header. */
  preferred(accept_language: string | undefined): Locale
}

const MESSAGES = fileURLToPath(new URL('./messages/', import.meta.url))
const CATALOG = z.record(z.string(), z.string())
// A longer header is not read: each entry is compared with each language.
const MAX_HEADER_LENGTH = 512
const TAG = /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i

/** Reads the catalogs of a folder: each file is a language, named by its tag. */
export function readLanguages(folder: string = MESSAGES): Languages {
  const others = readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'en.json')
    .map((file) => {
      const catalog = CATALOG.parse(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
      return openLocale(file.replace(/\.json$/, ''), catalog as Catalog)
    })
    .sort((left, right) => left.name.localeCompare(right.name, 'en'))
  const all = [ENGLISH, ...others]
  const tags = all.map(({ language }) => language)
  const find = (tag: string | null | undefined) => all.find(({ language }) => language === tag)
  return {
    all,
    named: (tag) => find(tag) ?? ENGLISH,
    readTag: (text) => find(text)?.language,
    firstOf(wanted) {
      if (wanted.length > MAX_HEADER_LENGTH) return undefined
      for (const tag of wanted.split(' ').filter((each) => TAG.test(each))) {
        const [found] = new Negotiator({ headers: { 'accept-language': tag } }).languages(tags)
        if (found !== undefined) return found
      }
      return undefined
    },
    preferred(accept_language) {
      if (!accept_language || accept_language.length > MAX_HEADER_LENGTH) return ENGLISH
      const headers = { 'accept-language': accept_language }
      return find(new Negotiator({ headers }).language(tags)) ?? ENGLISH
    },
  }
}
