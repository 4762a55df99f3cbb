import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Languages, readLanguages } from '#platform/language/languages'

export const MESSAGES = fileURLToPath(
  new URL('../../src/platform/language/messages', import.meta.url),
)

/** The tag of English with accents, brackets and more characters, as Unicode names it. */
export const PSEUDO = 'en-XA'

/** A catalog as its file has it. */
export function readCatalog(language: string, folder = MESSAGES): Record<string, string> {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8'))
}

/** The languages of the service with the pseudo-locale, which is a file beside theirs. */
export function withPseudoLocale(): Languages {
  const folder = mkdtempSync(join(tmpdir(), 'purser-messages-'))
  try {
    cpSync(MESSAGES, folder, { recursive: true })
    const messages = Object.entries(readCatalog('en')).map(([id, text]) => [id, pseudo(text)])
    writeFileSync(join(folder, `${PSEUDO}.json`), JSON.stringify(Object.fromEntries(messages)))
    return readLanguages(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ACCENTED = 'áƀćđéƒǵĥíĵķĺɱńóṕʠŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŹ'
const accents = new Map([...PLAIN].map((character, at) => [character, [...ACCENTED][at]!]))

/** A message with accents, 40 percent longer and in brackets; placeholders and tags as they are. */
export function pseudo(text: string): string {
  const longer = 'é'.repeat(Math.ceil(literalLength(text) * 0.4))
  return `[${accented(text)} ${longer}]`
}

/** The parts of a message: what is read, and the syntax between. */
function* partsOf(text: string): Generator<{ text: string; is_literal: boolean }> {
  // An argument with its type, the keyword of a case, a tag, a plain argument, or text.
  const part =
    /\{\w+, \w+,|\s*(?:=\d+|zero|one|two|few|many|other) \{|<\/?\w+>|\{\w+\}|[{}#]|[^{}<#]/g
  const isIcu = /\{\w+, \w+,/.test(text)
  for (const [found] of text.matchAll(part)) {
    const isSyntax = found.length > 1 || (isIcu && /[{}#]/.test(found))
    yield { text: found, is_literal: !isSyntax }
  }
}

function accented(text: string): string {
  return [...partsOf(text)]
    .map((part) => (part.is_literal ? (accents.get(part.text) ?? part.text) : part.text))
    .join('')
}

function literalLength(text: string): number {
  return [...partsOf(text)].filter(({ is_literal }) => is_literal).length
}
