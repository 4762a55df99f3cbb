import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { escapeMarkup } from '#platform/text'

/** Each language of the documentation, by the tag of its code blocks. */
const LANGUAGES = {
  sh: bash,
  ts: typescript,
  tsx: typescript,
  js: javascript,
  json,
  py: python,
  go,
  html: xml,
  http,
  sql,
  toml: ini,
  ini,
  env: ini,
  yaml,
} as const

for (const [tag, language] of Object.entries(LANGUAGES)) {
  highlighter.registerLanguage(tag, language)
}

/** The tags that a code block may have, besides `text`. */
export const LANGUAGE_TAGS = Object.keys(LANGUAGES)

/** Code as escaped HTML with a class for each kind of token. */
export function highlight(code: string, tag: string): string {
  const language = highlighter.getLanguage(tag) ? tag : 'plaintext'
  if (language === 'plaintext') return escapeMarkup(code)
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}
