import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'

/** Gives the tests of a file a folder of settings of their own; returns its path. */
export function useConfigFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'purser-cli-'))
  const { XDG_CONFIG_HOME } = process.env
  before(() => {
    process.env.XDG_CONFIG_HOME = folder
  })
  after(() => {
    if (XDG_CONFIG_HOME === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
