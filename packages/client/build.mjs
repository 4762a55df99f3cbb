/**
 * Compiles the library twice: ES modules into `dist`, CommonJS into `dist/cjs`. An argument is
 * another folder than `dist`.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { argv, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'

const home = dirname(fileURLToPath(import.meta.url))
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
const out = argv[2] ? resolve(argv[2]) : join(home, 'dist')

for (const [config, folder] of [
  ['tsconfig.json', out],
  ['tsconfig.cjs.json', join(out, 'cjs')],
]) {
  const options = ['-p', join(home, config), '--outDir', folder]
  execFileSync(execPath, [join(typescript, 'bin/tsc'), ...options], { stdio: 'inherit' })
}
// Without it, Node and TypeScript read the files of this folder as ES modules.
writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs", "sideEffects": false }\n')
