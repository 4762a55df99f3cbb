import type { FieldFault } from '#platform/problem'
import { isBlank, textFault } from '#platform/text'
import type { SellerDetails } from './sellers.ts'
import { readState, stateName } from './state.ts'

const LONGEST: Record<'legal_name' | 'address' | 'city', number> = {
  legal_name: 200,
  address: 200,
  city: 100,
}

const MISSING: Record<keyof typeof LONGEST, string> = {
  legal_name: 'Enter the legal name of the person or the company that sells.',
  address: 'Enter the street and number.',
  city: 'Enter the city.',
}

/** A seller's details as entered in a form. */
export type EnteredDetails = Partial<Record<keyof SellerDetails, string>>

/**
 * Reads a seller's details from a form (spec: What the service does, 4), or every fault. `stateOf`
 * is the state of a ZIP code; undefined for one outside of the United States.
 */
export function readDetails(
  form: EnteredDetails,
  stateOf: (zip: string) => string | undefined,
): SellerDetails | { faults: FieldFault[] } {
  const text = (name: keyof SellerDetails) => (form[name] ?? '').replace(/\s+/g, ' ').trim()
  const faults: FieldFault[] = []
  for (const name of ['legal_name', 'address', 'city'] as const) {
    const value = text(name)
    const message = isBlank(value) ? MISSING[name] : textFault(value, { most: LONGEST[name] })
    if (message) faults.push({ path: name, message })
  }
  const state = readState(text('state'))
  const zip = /^(\d{5})(-\d{4})?$/.exec(text('zip'))?.[1]
  const found = zip && stateOf(zip)
  if (!state) {
    faults.push({ path: 'state', message: 'Enter a US state, such as OR.' })
  }
  if (!zip) faults.push({ path: 'zip', message: 'Enter a five-digit ZIP code.' })
  else if (!found) faults.push({ path: 'zip', message: 'Enter a US ZIP code.' })
  else if (state && found !== state) {
    const message = `ZIP code ${zip} is in ${stateName(found)}. Check the state and the ZIP code.`
    faults.push({ path: 'zip', message })
  }
  if (faults.length > 0 || !state || !zip) return { faults }
  const [legal_name, address, city] = [text('legal_name'), text('address'), text('city')]
  return { legal_name, address, city, state, zip }
}
