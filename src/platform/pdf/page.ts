export const MARGIN = 54
export const BODY = 9.5
export const INK = '#17211f'
export const MUTED = '#56635e'
export const MARK = '#a3480a'
export const LINE = '#cfc9bb'
export const GAP = 8
export const ROW_PAD = 4
// The font draws these as a base character and a mark. As one character, text copied from the
// document would contain them in place of the base character everywhere.
const SPLIT = /[ǹḿṃṅṣẹịọụ]/gu

export type Doc = PDFKit.PDFDocument

/** A font that pdfkit has open; its types omit its set of characters. */
interface OpenFont {
  _font: { font: { hasGlyphForCodePoint(code: number): boolean } }
}

/** A text in the characters that the font has (decision 70); others become question marks. */
export function printable(doc: Doc, text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const { font } = (doc as unknown as OpenFont)._font
  const characters = Array.from(text.normalize('NFC'), (character) =>
    font.hasGlyphForCodePoint(character.codePointAt(0)!) ? character : '?',
  )
  return characters.join('').replaceAll(SPLIT, (character) => character.normalize('NFD'))
}

/** The width between the margins of a page. */
export function widthOf(doc: Doc): number {
  return doc.page.width - 2 * MARGIN
}

/** Whether this height is left on the page, above its foot. */
export function fits(doc: Doc, height: number): boolean {
  return doc.y + height <= bottomOf(doc)
}

/** The height of an empty page, without its margins and foot. */
export function emptyPage(doc: Doc): number {
  return bottomOf(doc) - MARGIN
}

function bottomOf(doc: Doc): number {
  return doc.page.height - MARGIN - 2 * GAP
}
