// Lets Node import .tsx files: it strips the types of .ts, but does not compile JSX.
// Use: node --import ./scripts/register-tsx.mjs src/main.ts
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'oxc-transform'

const OPTIONS = { lang: 'tsx', jsx: { runtime: 'automatic', importSource: 'preact' } }

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context)
    const file = fileURLToPath(url)
    const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), OPTIONS)
    if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
    return { format: 'module', source: code, shortCircuit: true }
  },
})
