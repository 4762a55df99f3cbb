const MONTH =
  'January|February|March|April|May|June|July|August|September|October|November|December'
const REFERENCE = '\\S+@\\S+|(req|key|ord|inv|lic)_\\w+|(SVC|PUR)-?\\d+|https?:\\S+'

/** The words of a text that have no accent, apart from names, dates, addresses and references. */
export function plainWords(text: string, names: readonly (string | RegExp)[]): string[] {
  const known = names.map((name) => (typeof name === 'string' ? name : name.source))
  const rest = text.replaceAll(new RegExp([REFERENCE, MONTH, ...known].join('|'), 'g'), ' ')
  return rest.match(/(?<!\p{L})[A-Za-z]{2,}(?!\p{L})/gu) ?? []
}
