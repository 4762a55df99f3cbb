// TypeScript that the build compiled: each file is named by the hash of its source, so that a
// changed source never runs as what it was. Plain JavaScript, because the loader imports it first.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const JSX = { lang: 'tsx', jsx: { runtime: 'automatic', importSource: 'preact' } }

/** The folder of what the build compiled. */
export const COMPILED = fileURLToPath(new URL('../.build/compiled/', import.meta.url))

/** The name of a compiled file. */
export function compiledName(file, source) {
  const language = file.endsWith('.tsx') ? JSON.stringify(JSX) : 'ts'
  return `${hash('sha256', `${language}\n${source}`, 'base64url')}.js`
}

/** What the build compiled from a source; undefined if it did not. */
export function readCompiled(file, source, folder = COMPILED) {
  try {
    return readFileSync(join(folder, compiledName(file, source)), 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
}

/** Compiles a .tsx file. Throws a SyntaxError that names it. */
export function compileJsx(file, source) {
  const { transformSync } = createRequire(import.meta.url)('oxc-transform')
  const { code, errors } = transformSync(file, source, JSX)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
  return code
}
