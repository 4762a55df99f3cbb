/**
 * Builds what browsers load: one stylesheet, the scripts and the icon, into `.build/assets/`, each
 * with the hash of its content in its name, and `manifest.json`, which maps the plain names to
 * these. Does nothing if the inputs have not changed since the last build.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { hashFiles, hashOf } from './hash-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const design = join(source, 'platform/design')
/** Web components for sellers' sites. */
const components = join(root, 'packages/components/src')
/** The browser searches the documentation as the server does. */
const search = join(source, 'platform/section-search.ts')
const out = join(root, '.build/assets')
const manifestFile = join(out, 'manifest.json')

/** Maps plain names to hashed names, and `inputs` to the hash of all inputs. */
type Manifest = Record<string, string>

/** Pages name the classes in the stylesheet, so every page is an input, and so are the tools. */
async function hashInputs(): Promise<string> {
  const entries = await Promise.all(
    [source, components].map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  )
  const files = entries
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const isScript = file.startsWith(design) || file.startsWith(components)
      return file.endsWith('.tsx') || isScript || file === search
    })
  files.push(join(root, 'package-lock.json'), join(components, '../package.json'))
  files.push(fileURLToPath(import.meta.url))
  return hashFiles(files)
}

async function readManifest(): Promise<Manifest | undefined> {
  return readFile(manifestFile, 'utf8').then(JSON.parse, () => undefined)
}

async function buildStyle(work: string): Promise<Buffer> {
  const made = join(work, 'app.css')
  const cli = join(root, 'node_modules/@tailwindcss/cli/dist/index.mjs')
  const options = ['--input', join(design, 'style.css'), '--output', made, '--minify']
  await promisify(execFile)(process.execPath, [cli, ...options], { cwd: root })
  return readFile(made)
}

async function buildScript(entry: string): Promise<Uint8Array> {
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })
  return result.outputFiles[0]!.contents
}

async function buildIcon(): Promise<string> {
  const { favicon } = await import('#design/brand')
  return favicon()
}

/**
 * Moves each file, with its compressed forms, into place before the manifest names it, so that
 * readers always find it.
 */
async function publish(work: string, contents: Record<string, string | Uint8Array>) {
  const manifest: Manifest = {}
  for (const [name, content] of Object.entries(contents)) {
    const ending = extname(name)
    manifest[name] = `${name.slice(0, -ending.length)}-${hashOf(content).slice(0, 12)}${ending}`
    await writeFile(join(work, name), content)
    await rename(join(work, name), join(out, manifest[name]))
    await writeFile(join(out, `${manifest[name]}.br`), brotliCompressSync(content))
    await writeFile(join(out, `${manifest[name]}.gz`), gzipSync(content, { level: 9 }))
  }
  return manifest
}

/**
 * Deletes files that neither this build nor the previous one names: an open page may need those.
 */
async function sweep(kept: Manifest[]): Promise<void> {
  const files = kept.flatMap((manifest) => Object.values(manifest))
  const names = new Set([
    'manifest.json',
    ...files.flatMap((file) => [file, `${file}.br`, `${file}.gz`]),
  ])
  const stale = (await readdir(out)).filter((name) => !names.has(name))
  await Promise.all(stale.map((name) => rm(join(out, name), { force: true })))
}

/** Builds the assets unless they are current. Returns whether it built, and the manifest. */
export async function buildAssets(): Promise<{ built: boolean; manifest: Manifest }> {
  const inputs = await hashInputs()
  const last = await readManifest()
  if (last?.inputs === inputs) return { built: false, manifest: last }
  await mkdir(out, { recursive: true })
  const work = await mkdtemp(join(root, '.build/assets-'))
  try {
    const browser = join(design, 'browser')
    const [style, script, passkey, try_it, docs, served, icon] = await Promise.all([
      buildStyle(work),
      buildScript(join(browser, 'app.ts')),
      buildScript(join(browser, 'passkey.ts')),
      buildScript(join(browser, 'try-it-page.ts')),
      buildScript(join(browser, 'docs-page.ts')),
      buildScript(join(components, 'served.ts')),
      buildIcon(),
    ])
    const files = await publish(work, {
      'app.css': style,
      'app.js': script,
      'passkey.js': passkey,
      'try-it.js': try_it,
      'docs.js': docs,
      'components.js': served,
      'favicon.svg': icon,
    })
    const manifest = { inputs, ...files }
    await writeFile(join(work, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await rename(join(work, 'manifest.json'), manifestFile)
    await sweep(last ? [manifest, last] : [manifest])
    return { built: true, manifest }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now()
  const { built, manifest } = await buildAssets()
  const took = Math.round(performance.now() - start)
  const what = built ? 'built' : 'fresh'
  console.log(`assets ${what} in ${took} ms: ${manifest['app.css']}, ${manifest['app.js']}`)
}
