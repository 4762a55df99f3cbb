/** What a file knows of the state that it was pulled from: one hash for each part. */
import { createHash } from 'node:crypto'
import type { AppState } from './state.ts'

/** The hashes by part: `listing`, `sections`, `versions`, `features`, and those of each plan. */
type Parts = Map<string, string>

/**
 * Identifies a state. Two reads of the same listing and plans have the same. A part is what one
 * call writes at once, so that each part of a push that was interrupted is either old or new.
 */
export function fingerprint(state: AppState): string {
  return Array.from(partsOf(state), (pair) => pair.join('=')).join(' ')
}

/** The IDs of the plans of a pulled state. */
export function pulledPlans(pulled: string): Set<string> {
  const names = [...read(pulled).keys()].filter((name) => name.endsWith(DESCRIPTION))
  return new Set(names.map((name) => name.slice(0, -DESCRIPTION.length)))
}

/**
 * The parts that have neither their state at the pull nor the wanted one: someone else changed
 * them. None, if all differences are what an earlier push of the same file wrote.
 */
export function foreignParts(pulled: string, remote: AppState, wanted: AppState): string[] {
  const [known, now, next] = [read(pulled), partsOf(remote), partsOf(wanted)]
  const names = new Set([...known.keys(), ...now.keys()])
  return [...names].filter((name) => {
    const hash = hashOf(now, name)
    return hash !== hashOf(known, name) && hash !== hashOf(next, name)
  })
}

const DESCRIPTION = '.description'
const FEATURES = '.features'

function partsOf({ listing, sections, features, versions }: AppState): Parts {
  const plans = versions.flatMap(({ product_id: id, description }): [string, unknown][] => {
    // A plan that is deleted leaves the rows, so a row is compared for each plan.
    const rows = features.filter(({ product_ids }) => product_ids.includes(id ?? ''))
    if (id === undefined) return []
    const marks: [string, unknown][] =
      rows.length > 0 ? [[id + FEATURES, rows.map(({ name }) => name)]] : []
    return [[id + DESCRIPTION, description], ...marks]
  })
  const all: [string, unknown][] = [
    ['listing', listing],
    ['sections', sections],
    ['versions', versions.map(({ description: _, ...version }) => version)],
    ['features', features.map(({ name, description }) => [name, description])],
    ...plans,
  ]
  return new Map(all.map(([name, value]) => [name, hash(value)]))
}

/** The hash of a part. A new plan has no description and is in no row. */
function hashOf(parts: Parts, name: string): string | undefined {
  const isOfPlan = name.endsWith(DESCRIPTION) || name.endsWith(FEATURES)
  return parts.get(name) ?? (isOfPlan ? hash('') : undefined)
}

function read(pulled: string): Parts {
  const pairs = pulled.split(' ').map((pair) => pair.split('='))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}

/** The order of fields does not count. */
function hash(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
