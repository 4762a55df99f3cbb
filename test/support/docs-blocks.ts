import { readFileSync } from 'node:fs'
import { marked, type Token, type Tokens } from 'marked'

/** A code block of the documentation. */
export interface DocsBlock {
  where: string
  tag: string
  /** What its info string says besides the language: the name of its file, or what it is. */
  label: string
  code: string
}

/** The code blocks of a page in Markdown; `{{name}}` becomes the value of that name. */
export function blocksOf(
  where: string,
  text: string,
  values: Record<string, string> = {},
): DocsBlock[] {
  const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? 'Value')
  const codes: Tokens.Code[] = []
  marked.walkTokens(marked.lexer(filled), (token: Token) => {
    if (token.type === 'code') codes.push(token as Tokens.Code)
  })
  return codes.map(({ lang = '', text: code }, index) => {
    const [tag = '', ...rest] = lang.split(' ')
    return { where: `${where} block ${index + 1}`, tag, label: rest.join(' '), code }
  })
}

/** The code of a file of a page. Throws if the page does not have it. */
export function codeOfPage(page: string, file: string, values: Record<string, string>): string {
  const found = blocksOf(page, readFileSync(page, 'utf8'), values).find(
    ({ label }) => label === file,
  )
  if (!found) throw new Error(`${page} has no file ${file}`)
  return found.code
}
