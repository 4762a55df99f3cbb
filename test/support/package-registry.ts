import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Packages of this project, and those that it has installed, as npm gets them from a registry. */
export interface PackageRegistry extends AsyncDisposable {
  url: string
}

interface Packed {
  manifest: { name: string; version: string }
  tarball: Buffer
}

/**
 * Serves packages to npm on this machine, so that a test can run `npm install` without a network.
 * `folders` has the folder of each package by its name.
 */
export async function openPackageRegistry(
  folders: Record<string, string>,
): Promise<PackageRegistry> {
  const work = mkdtempSync(join(tmpdir(), 'purser-registry-'))
  const packages = new Map<string, Packed>()
  for (const [name, folder] of Object.entries(folders)) {
    packages.set(name, await pack(folder, work))
  }
  const server = createServer((request, response) => {
    const [, name = '', file] = /^\/((?:@[^/]+\/)?[^/]+)(\/.+\.tgz)?$/.exec(
      decodeURIComponent(request.url ?? ''),
    ) ?? ['']
    const found = packages.get(name)
    if (!found) return response.writeHead(404).end('{}')
    if (file) return response.end(found.tarball)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(described(found, `http://${request.headers.host}`)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      rmSync(work, { recursive: true, force: true })
    },
  }
}

async function pack(folder: string, work: string): Promise<Packed> {
  const args = ['pack', resolve(folder), '--ignore-scripts', '--json', '--pack-destination', work]
  const { stdout } = await run('npm', args)
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  return {
    manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    tarball: readFileSync(join(work, filename)),
  }
}

function described({ manifest, tarball }: Packed, origin: string) {
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const dist = { tarball: `${origin}/${name}/${version}.tgz`, integrity }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
