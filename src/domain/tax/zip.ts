import { EXCEPTIONS, PREFIXES, SOVEREIGN } from './zip-prefixes.ts'

const STATES = new Map(
  Object.entries(PREFIXES).flatMap(([state, ranges]) =>
    ranges.split(' ').flatMap((range) => prefixesOf(range).map((prefix) => [prefix, state])),
  ) as [string, string][],
)

// Their ZIP codes belong to the United States and are accepted (decision 50).
const TERRITORIES = ['AS', 'GU', 'MP', 'PR', 'VI']

/** Whether a country code of ISO 3166 belongs to a US territory. */
export function isTerritory(country: string): boolean {
  return TERRITORIES.includes(country)
}

/** The part of an address that decides the tax. */
export interface TaxAddress {
  state: string
  zip: string
}

/** The prefixes of a range: `028-029` is `028` and `029`. */
function prefixesOf(range: string): string[] {
  const [first = '', last = first] = range.split('-')
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, index) => String(Number(first) + index).padStart(3, '0'))
}

/**
 * The state, territory or military region (`TX`, `PR`, `AE`) of a five-digit ZIP code, by its USPS
 * prefix. Undefined for a prefix outside the United States and for the sovereign states that USPS
 * serves.
 */
export function stateOfZip(zip: string): string | undefined {
  if (!/^[0-9]{5}$/.test(zip) || SOVEREIGN.has(zip)) return undefined
  return EXCEPTIONS[zip] ?? STATES.get(zip.slice(0, 3))
}
