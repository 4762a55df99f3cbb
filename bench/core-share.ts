import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD_US = 10_000
/** Version 1 of control groups has a folder for the processor, version 2 one for everything. */
const VERSION_1 = '/sys/fs/cgroup/cpu'
const VERSION_2 = '/sys/fs/cgroup'

/** Processes that are limited to a share of a core each, until they are released. */
export interface Limited {
  /** Removes the limits of processes that have ended. */
  release(): void
}

/**
 * Limits each process to `percent` of a core, with all its threads; undefined where the kernel or
 * the account does not allow it.
 */
export function limitShares(pids: number[], percent: number): Limited | undefined {
  const groups: string[] = []
  try {
    for (const pid of pids) groups.push(limit(pid, (percent / 100) * PERIOD_US))
  } catch {
    return undefined
  }
  return {
    release() {
      for (const group of groups) rmdirSync(group)
    },
  }
}

function limit(pid: number, quota_us: number): string {
  const isFirst = existsSync(join(VERSION_1, 'cpu.cfs_quota_us'))
  const group = join(isFirst ? VERSION_1 : VERSION_2, `purser-bench-${pid}`)
  if (!isFirst) writeFileSync(join(VERSION_2, 'cgroup.subtree_control'), '+cpu')
  mkdirSync(group, { recursive: true })
  if (isFirst) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota_us))
  } else {
    writeFileSync(join(group, 'cpu.max'), `${quota_us} ${PERIOD_US}`)
  }
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
  return group
}

/** The processes that a process started; itself where it started none. */
export function workersOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return children === '' ? [pid] : children.split(' ').map(Number)
}
