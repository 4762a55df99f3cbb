// Installs what package-lock.json names when node_modules lacks something or is older than it. With
// `--omit=dev` it leaves out the packages of development, for which the first start must not wait,
// and beneath a running service nothing is replaced. It runs on whatever Node the machine has,
// before anything is installed, so it is plain JavaScript. It prints to stderr: stdout belongs to
// the command.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const installed = `${root}node_modules/.package-lock.json`
const node = `${root}node_modules/.bin/node`

const NODE_MAJOR = 24

const omitted = process.argv.slice(2)
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** npm has packages of Node for most machines (optionalDependencies); others bring their own. */
const hasNode = () => existsSync(node) || Number(process.versions.node.split('.')[0]) >= NODE_MAJOR

const isThere = (name) => existsSync(`${root}node_modules/${name}/package.json`)
const isCurrent =
  existsSync(installed) &&
  hasNode() &&
  (omitted.includes('--omit=dev') || Object.keys(manifest.devDependencies).every(isThere)) &&
  statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs

if (!isCurrent) {
  console.error('Installing what is missing. This takes a minute, once.')
  const npm = process.env.npm_execpath
  const [command, ...args] = npm ? [process.execPath, npm] : ['npm']
  const { status } = spawnSync(
    command,
    // The lock file has the digest of every package, so one from npm's cache is as good.
    [...args, 'ci', ...omitted, '--prefer-offline', '--loglevel=error'],
    { cwd: root, stdio: ['inherit', process.stderr, 'inherit'] },
  )
  if (status !== 0) {
    console.error('npm ci failed; see its output above.')
    process.exit(status ?? 1)
  }
  if (!hasNode()) {
    const { platform, arch } = process
    console.error(
      `Purser needs Node ${NODE_MAJOR}, and npm installed none for ${platform} ${arch}. ` +
        `Install Node ${NODE_MAJOR}, then try again.`,
    )
    process.exit(1)
  }
}
