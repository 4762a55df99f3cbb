/** The file of an app: YAML with a stable order, whose comments survive. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Document, isScalar, parseDocument, visit, Document as YamlDocument } from 'yaml'
import { type InvalidField, wrongUse } from '../exit.ts'
import { copyComments } from './comments.ts'
import { fingerprint } from './fingerprint.ts'
import type { AppState, PlanVersion } from './state.ts'

/** A plan in a file: a field that is left out stays as the service has it. */
export type FilePlan = Pick<PlanVersion, 'product_id' | 'name'> & Partial<PlanVersion>

/** What a file says: parts that are left out stay as they are on the service. */
export interface FileContent {
  app: string
  /** The fingerprint of the service's state at the last pull or push. */
  pulled: string
  listing?: Partial<AppState['listing']>
  sections?: AppState['sections']
  features?: AppState['features']
  versions?: FilePlan[]
}

/** A file as it was read, to be written again with its comments. */
export interface ListingFile {
  path: string
  content: FileContent
  document: Document
}

/** The file that `pull` and `push` use if none is named. */
export const DEFAULT_FILE = 'purser.yaml'

const HEADER = ` The listing, plans and prices of an app on Purser. Edit it, then run purser push.
 A part that you delete from this file stays as it is. Lists replace the whole list.
 Name, website, images, trials and publishing are edited in the dashboard.`

const OUTPUT = { lineWidth: 0, blockQuote: 'literal' } as const

/**
 * The text of a state as a file, with the comments of the file that it replaces. Feature rows say
 * the name of each plan in a comment.
 */
export function stateText(state: AppState, app: string, previous?: Document): string {
  const document = new YamlDocument({ app, pulled: fingerprint(state), ...state })
  document.commentBefore = HEADER
  const names = new Map(state.versions.map(({ product_id, name }) => [product_id, name]))
  visit(document, {
    Scalar(key, node, path) {
      const name = names.get(String(node.value))
      if (name !== undefined && typeof key === 'number') node.comment = ` ${name}`
      // A body or description of several lines is easier to edit as a block.
      if (path.length > 0 && String(node.value).includes('\n')) node.type = 'BLOCK_LITERAL'
    },
  })
  if (previous) copyComments(previous, document)
  return document.toString(OUTPUT)
}

/** The text of a state without the lines above its content, for comparisons. */
export function comparable(state: AppState): string {
  const text = stateText(state, 'app')
  return text.slice(text.indexOf('\nlisting:') + 1)
}

/** Reads a file. Throws CliError with every fault of its form. */
export function readListingFile(path: string): ListingFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw wrongUse(`${path} does not exist. Run purser pull first.`)
    throw wrongUse(`${path} cannot be read (${code}).`)
  }
  const document = parseDocument(text, { stringKeys: true })
  const [error] = document.errors
  if (error) throw wrongUse(`${path} is not valid YAML: ${error.message}`)
  const alias = aliasOf(document)
  if (alias) throw wrongUse(`${path} has the alias *${alias}. Write the value itself in its place.`)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  const faults = faultsOfForm(value)
  if (faults.length > 0) throw wrongUse(`${path} is invalid. Nothing was sent.`, faults)
  return { path, content: normalized(value as FileContent), document }
}

/** Throws CliError with the next step if the settings name another app than the file. */
export function requireSameApp(
  named: string | undefined,
  { path, content }: ListingFile,
  next: string,
): void {
  if (named === undefined || named === content.app) return
  const found = `${path} is the file of ${content.app}, but the settings name ${named}.`
  throw wrongUse(`${found} Add --app ${content.app}, ${next}`)
}

/** The name of the first alias: a push writes IDs into the file, at one place for each plan. */
function aliasOf(document: Document): string | undefined {
  let found: string | undefined
  visit(document, {
    Alias(_, { source }) {
      found = source
      return visit.BREAK
    },
  })
  return found
}

const PARTS = ['listing', 'sections', 'features', 'versions'] as const

function faultsOfForm(value: unknown): InvalidField[] {
  if (!isObject(value)) return [{ path: 'file', message: 'must be a YAML mapping' }]
  const faults: InvalidField[] = []
  const fault = (path: string, message: string) => faults.push({ path, message })
  for (const key of Object.keys(value)) {
    if (!['app', 'pulled', ...PARTS].includes(key)) fault(key, 'unknown part')
  }
  if (typeof value.app !== 'string') fault('app', 'must be the slug of the app')
  if (typeof value.pulled !== 'string') fault('pulled', 'is missing: run purser pull')
  if (value.listing !== undefined && !isObject(value.listing)) {
    fault('listing', 'must be a mapping')
  }
  for (const part of ['sections', 'features', 'versions'] as const) {
    const list = value[part]
    if (list === undefined) continue
    if (!Array.isArray(list)) fault(part, 'must be a list')
    else
      list.forEach((item, at) => {
        if (!isObject(item)) fault(`${part}[${at}]`, 'must be a mapping')
        else if (part === 'features') listOf(item, 'product_ids', `features[${at}]`, fault)
        else if (part === 'versions') pricesOf(item, `versions[${at}]`, fault)
      })
  }
  return faults
}

function listOf(
  item: Record<string, unknown>,
  name: string,
  path: string,
  fault: (path: string, message: string) => void,
): void {
  const list = item[name]
  if (list !== undefined && !Array.isArray(list)) fault(`${path}.${name}`, 'must be a list')
}

function pricesOf(
  version: Record<string, unknown>,
  path: string,
  fault: (path: string, message: string) => void,
): void {
  listOf(version, 'prices', path, fault)
  if (!Array.isArray(version.prices)) return
  version.prices.forEach((price, at) => {
    if (!isObject(price)) fault(`${path}.prices[${at}]`, 'must be a mapping')
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The content with its defaults, in the order of the service, so that states can be compared. */
function normalized(content: FileContent): FileContent {
  const { listing, sections, features, versions } = content
  return {
    ...content,
    ...(listing?.description !== undefined && {
      listing: { ...listing, description: trimEnd(listing.description) },
    }),
    ...(sections && { sections: sections.map(trimmed) }),
    ...(features && {
      features: features.map((row) => {
        const { name, description = '', product_ids = [], ...unknown } = row
        return { name, description: trimEnd(description), product_ids, ...unknown }
      }),
    }),
    ...(versions && {
      versions: versions.map((version) => {
        const { description, prices } = version
        return {
          ...version,
          ...(description !== undefined && { description: trimEnd(description) }),
          ...(prices && { prices: prices.map(priceOf) }),
        }
      }),
    }),
  }
}

function trimmed<Section extends { title: string; body: string }>(section: Section): Section {
  return { ...section, body: trimEnd(section.body) }
}

/** A block of YAML ends with a line break that the service would remove. */
function trimEnd<Value>(value: Value): Value {
  return typeof value === 'string' ? (value.trimEnd() as Value) : value
}

/** An amount without quotes is a number of YAML. */
function priceOf<Price extends { amount: unknown; frequency?: string | null }>(price: Price) {
  const { amount, frequency = null, ...unknown } = price
  const cents = typeof amount === 'number' ? Math.round(amount * 100) : Number.NaN
  const isWhole = Math.abs(cents - Number(amount) * 100) < 1e-6
  return { amount: isWhole ? (cents / 100).toFixed(2) : String(amount), frequency, ...unknown }
}

/**
 * Writes a pulled state to a file, with the comments of the one that it replaces. Throws CliError
 * if the path cannot be written.
 */
export function writeState(path: string, state: AppState, app: string, previous?: Document): void {
  try {
    writeFileSync(path, stateText(state, app, previous))
  } catch (error) {
    throw wrongUse(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/**
 * Notes in a file what a push wrote: the IDs of new plans, and the state that the next push
 * compares. Comments and order stay.
 */
export function noteWritten(file: ListingFile, state: AppState): void {
  const { document, path, content } = file
  document.set('pulled', fingerprint(state))
  content.versions?.forEach(({ product_id, name }, at) => {
    const written = state.versions.find((each) => each.name === name)
    if (product_id !== undefined || !written) return
    const map = document.getIn(['versions', at], true)
    const pair = document.createPair('product_id', written.product_id)
    if (map && typeof map === 'object' && 'items' in map) (map.items as unknown[]).unshift(pair)
  })
  const pulled = document.get('pulled', true)
  if (isScalar(pulled)) pulled.comment = undefined
  writeFileSync(path, document.toString(OUTPUT))
}
