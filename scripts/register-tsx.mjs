// Lets Node import .tsx files, and loads what the build compiled in place of TypeScript: Node's own
// compiler takes 20 MB of memory for as long as the process runs (decision 151).
// Use: node --import ./scripts/register-tsx.mjs src/main.ts
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileJsx, readCompiled } from './compiled-sources.mjs'

registerHooks({
  load(url, context, next) {
    if (!/\.tsx?$/.test(url)) return next(url, context)
    const file = fileURLToPath(url)
    const text = readFileSync(file, 'utf8')
    const compiled = readCompiled(file, text)
    if (compiled === undefined && !url.endsWith('.tsx')) return next(url, context)
    return { format: 'module', source: compiled ?? compileJsx(file, text), shortCircuit: true }
  },
})
