import zipcodes from 'zipcodes'

/** The state or territory of a five-digit ZIP code, or undefined where no such ZIP exists. */
export function stateOfZip(zip: string): string | undefined {
  if (!/^\d{5}$/.test(zip)) return undefined
  const place = zipcodes.lookup(zip)
  return place?.country === 'US' ? place.state : undefined
}
