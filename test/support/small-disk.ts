import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a file system of so many megabytes; returns its folder, and how to unmount it. */
export function mountDisk(megabytes: number): { folder: string; unmount: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'purser-disk-'))
  const mount = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]
  try {
    execFileSync('mount', mount, { stdio: 'ignore' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  return {
    folder,
    unmount() {
      // Lazily: a server that a test left running may have files open on it.
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** Whether this process may mount a file system: in most containers only root may. */
export function canMount(): boolean {
  try {
    mountDisk(1).unmount()
    return true
  } catch {
    return false
  }
}
