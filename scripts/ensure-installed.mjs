// Installs what package-lock.json names when node_modules is absent or older than it. This file runs
// on whatever Node the machine has, before anything is installed, so it is plain JavaScript.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const installed = `${root}node_modules/.package-lock.json`
const node = `${root}node_modules/.bin/node`

const NODE_MAJOR = 24

/** npm has packages of Node for most machines (optionalDependencies); others bring their own. */
const hasNode = () =>
  existsSync(node) || Number(process.versions.node.split('.')[0]) >= NODE_MAJOR

const isCurrent =
  existsSync(installed) &&
  hasNode() &&
  statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs

if (!isCurrent) {
  console.log('Installing what is missing. This takes a minute, once.')
  const npm = process.env.npm_execpath
  const [command, ...args] = npm ? [process.execPath, npm] : ['npm']
  const { status } = spawnSync(
    command,
    [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: 'inherit',
    },
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
