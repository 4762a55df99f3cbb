import sanitizeHtml from 'sanitize-html'

const REL = 'nofollow noopener noreferrer'
const ROUNDS = 5
const ADDED = ` rel="${REL}" target="_blank"`

/** The elements that a section's body may have; of every other one only its text is kept. */
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
  // Browsers read these as raw text or another language, so their content is removed too.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'iframe', 'noembed', 'xmp'],
  nestingLimit: 20,
  transformTags: {
    a: (tagName, { href }): sanitizeHtml.Tag => {
      const address = readLink(href)
      return { tagName, attribs: address ? { href: address, rel: REL, target: '_blank' } : {} }
    },
  },
  // Any other link is removed, and its text is kept.
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && !attribs.href ? 'excludeTag' : false),
}

/** The URL of a link if it is an absolute https one, spelled as browsers spell it. */
function readLink(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? '')
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return url.href
}

/**
 * Sanitizes HTML to what decision 22 allows. Sanitizing twice changes nothing, so it is done when a
 * body is written and again when it is read.
 */
export function cleanHtml(html: string): string {
  let clean = html
  // Removing an element may create another one, so this repeats until nothing changes.
  for (let round = 0; round < ROUNDS; round++) {
    const before = clean
    clean = sanitizeHtml(before, OPTIONS).replaceAll('<br />', '<br>').trim()
    if (clean === before) break
  }
  return clean
}

/** A sanitized body as its seller wrote it, without what sanitizing adds to links. */
export function asWritten(clean: string): string {
  return clean.replaceAll(ADDED, '')
}

/**
 * A body as its length is counted: without what sanitizing adds to links, and with each escaped
 * character (`&amp;`) counted as one.
 */
export function countable(html: string): string {
  return asWritten(html).replaceAll(/&(?:amp|lt|gt|quot);/g, '&')
}

/** Whether a sanitized body has any text. */
export function hasText(clean: string): boolean {
  return /\S/.test(clean.replaceAll(/<[^>]*>/g, ''))
}
