import sanitizeHtml from 'sanitize-html'

const REL = 'nofollow noopener noreferrer'
const ROUNDS = 5
const ADDED = ` rel="${REL}" target="_blank"`

/** The elements that the body of a section may have; of every other its text alone is left. */
export const ALLOWED_ELEMENTS = [
  'p',
  'br',
  'strong',
  'em',
  'b',
  'i',
  'u',
  'ul',
  'ol',
  'li',
  'a',
  'h3',
  'h4',
  'code',
  'pre',
  'blockquote',
] as const

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...ALLOWED_ELEMENTS],
  allowedAttributes: { a: ['href', 'rel', 'target'] },
  allowedSchemes: ['https'],
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  // What browsers read as raw text, or as another language, goes with all that is in it.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'iframe', 'noembed', 'xmp'],
  nestingLimit: 20,
  transformTags: {
    a: (tagName, { href }): sanitizeHtml.Tag => {
      const address = readLink(href)
      return { tagName, attribs: address ? { href: address, rel: REL, target: '_blank' } : {} }
    },
  },
  // A link to anywhere else goes, and its words stay.
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && !attribs.href ? 'excludeTag' : false),
}

/** A link leads to an absolute https address, spelled as browsers spell it. */
function readLink(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? '')
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return url.href
}

/**
 * HTML with nothing in it but what decision 22 allows. Cleaning what is clean changes nothing, so it
 * is done when a body is written and again whenever it is read.
 */
export function cleanHtml(html: string): string {
  let clean = html
  // What stood in an element that went is read anew without it, until nothing changes any more.
  for (let round = 0; round < ROUNDS; round++) {
    const before = clean
    clean = sanitizeHtml(before, OPTIONS).replaceAll('<br />', '<br>').trim()
    if (clean === before) break
  }
  return clean
}

/** A clean body as its seller wrote it, without what cleaning adds to links. */
export function asWritten(clean: string): string {
  return clean.replaceAll(ADDED, '')
}

/**
 * A body as its length is counted: without what cleaning adds to links, and a character that HTML
 * must spell out (`&amp;`) counts as the one it is.
 */
export function countable(html: string): string {
  return asWritten(html).replaceAll(/&(?:amp|lt|gt|quot);/g, '&')
}

/** Tells whether a clean body has anything to read in it. */
export function hasWords(clean: string): boolean {
  return /\S/.test(clean.replaceAll(/<[^>]*>/g, ''))
}
