import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { COMPILED, compiledName, compileJsx } from './compiled-sources.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Compiles the TypeScript of the service and of the demo's sites into `.build/compiled/`, except
 * for what it compiled before, and deletes what no source needs. Lines and columns of .ts files
 * stay as they are. Other work of the build goes on between two files.
 */
export async function buildSources(folder = COMPILED): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const present = new Set(readdirSync(folder))
  // The names of files that another build is writing start with a dot.
  const unused = new Set([...present].filter((name) => !name.startsWith('.')))
  for (const path of globSync('{src,examples}/**/*.{ts,tsx}', { cwd: root })) {
    const file = join(root, path)
    const source = readFileSync(file, 'utf8')
    const name = compiledName(file, source)
    unused.delete(name)
    if (present.has(name)) continue
    const code = file.endsWith('.tsx') ? compileJsx(file, source) : stripTypeScriptTypes(source)
    // Moved into place, so that a service that starts now reads all of it or nothing.
    const written = join(folder, `.${process.pid}-${name}`)
    writeFileSync(written, code)
    renameSync(written, join(folder, name))
    await setImmediate()
  }
  for (const name of unused) rmSync(join(folder, name), { force: true })
}
