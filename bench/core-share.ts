import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD_US = 10_000
/** Version 1 of control groups has a folder for the CPU; version 2 has one for everything. */
const VERSION_1 = '/sys/fs/cgroup/cpu'
const VERSION_2 = '/sys/fs/cgroup'

/** Processes that are limited to a share of a core each. */
export interface Limited {
  /** Removes the limits, once the processes have ended. */
  release(): void
}

/**
 * Limits each process, with all its threads, to `percent` of a core; undefined if the kernel or the
 * account does not allow it.
 */
export function limitShares(pids: number[], percent: number): Limited | undefined {
  const groups = pids.map(groupOf)
  const release = () => {
    for (const group of groups.filter((each) => existsSync(each))) rmdirSync(group)
  }
  try {
    for (const group of groups) createGroup(group, (percent / 100) * PERIOD_US)
  } catch {
    // No process was moved yet, so none stays limited.
    release()
    return undefined
  }
  pids.forEach((pid, index) => {
    writeFileSync(join(groups[index]!, 'cgroup.procs'), String(pid))
  })
  return { release }
}

const isVersion1 = () => existsSync(join(VERSION_1, 'cpu.cfs_quota_us'))

function groupOf(pid: number): string {
  return join(isVersion1() ? VERSION_1 : VERSION_2, `purser-bench-${pid}`)
}

function createGroup(group: string, quota_us: number): void {
  if (isVersion1()) {
    mkdirSync(group)
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota_us))
  } else {
    writeFileSync(join(VERSION_2, 'cgroup.subtree_control'), '+cpu')
    mkdirSync(group)
    writeFileSync(join(group, 'cpu.max'), `${quota_us} ${PERIOD_US}`)
  }
}

/** The processes that a process started; itself if it started none. */
export function workersOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return children === '' ? [pid] : children.split(' ').map(Number)
}
