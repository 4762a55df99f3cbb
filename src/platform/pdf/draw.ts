import { fileURLToPath } from 'node:url'
import { type Font, type GlyphRun, openSync } from 'fontkit'
import PDFDocument from 'pdfkit'
import { PAGE, PAGE_COUNT, type PdfContent, type PdfTable } from './content.ts'
import {
  BODY,
  type Doc,
  emptyPage,
  fits,
  GAP,
  INK,
  LINE,
  MARGIN,
  MARK,
  MUTED,
  printable,
  ROW_PAD,
  widthOf,
} from './page.ts'
import { drawTotals, measureTotals } from './totals.ts'

const PACKAGE = '@expo-google-fonts/noto-sans'
// Words whose layout a font remembers: those of a few thousand receipts.
const REMEMBERED_WORDS = 10_000

// Opened once for all documents: reading a font takes longer than drawing a receipt.
const FONTS = {
  regular: openFont('400Regular/NotoSans_400Regular.ttf'),
  bold: openFont('700Bold/NotoSans_700Bold.ttf'),
}

/** A document to which rows can still be added. */
export interface OpenDocument {
  addRows(rows: string[][]): void
  /** Draws what follows the table, and returns the whole document. */
  end(): Promise<Buffer>
}

/** Draws a document in US letter size, up to the last row that it has. */
export function startDocument(content: PdfContent): OpenDocument {
  const doc = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    // Without pdfkit's own font, which no text is set in.
    font: '',
    lang: content.language ?? 'en-US',
    displayTitle: true,
    info: {
      Title: content.title,
      Author: content.issuer ?? 'Purser',
      CreationDate: content.now,
      ModDate: content.now,
    },
  })
  for (const [name, font] of Object.entries(FONTS)) doc.registerFont(name, font)
  const parts: Buffer[] = []
  doc.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve) => doc.on('end', resolve))
  drawHead(doc, content)
  drawParties(doc, content.parties ?? [])
  drawFacts(doc, content.facts)
  const table = content.table && openTable(doc, content.table)
  table?.addRows(content.table?.rows ?? [])
  return {
    addRows: (rows) => table?.addRows(rows),
    async end() {
      const totals = measureTotals(doc, content.totals ?? [])
      table?.end(totals.height)
      drawTotals(doc, totals)
      for (const note of content.notes ?? []) {
        doc.moveDown(0.6).font('regular').fontSize(BODY).fillColor(MUTED)
        doc.text(printable(doc, note), MARGIN, doc.y, { width: widthOf(doc) })
      }
      drawFeet(doc, content)
      doc.end()
      await ended
      return Buffer.concat(parts)
    },
  }
}

function openFont(file: string): Font {
  const font = openSync(fileURLToPath(import.meta.resolve(`${PACKAGE}/${file}`)))
  if ('fonts' in font) throw new Error(`${file} is not one font`)
  return rememberWords(font)
}

/** A font that lays out a word once for all documents: most words of a receipt are in each. */
function rememberWords(font: Font): Font {
  const known = new Map<string, GlyphRun>()
  const layOut = font.layout.bind(font)
  font.layout = (text, ...rest) => {
    if (rest.some((each) => each !== undefined)) return layOut(text, ...rest)
    let run = known.get(text)
    if (!run) {
      if (known.size >= REMEMBERED_WORDS) known.clear()
      run = layOut(text)
      known.set(text, run)
    }
    // pdfkit scales the positions in place, so each document gets its own.
    return copyOf(run, { positions: run.positions.map((each) => copyOf(each)) })
  }
  return font
}

/** The same object of the same class, with some fields replaced. */
function copyOf<T extends object>(original: T, replaced?: Partial<T>): T {
  return Object.assign(Object.create(Object.getPrototypeOf(original)), original, replaced)
}

declare global {
  namespace PDFKit.Mixins {
    interface PDFFont {
      /** Also accepts an open font, which its types leave out. */
      registerFont(name: string, font: Font): this
    }
  }
}

function drawHead(doc: Doc, { issuer = 'Purser', title, lines }: PdfContent): void {
  doc.font('bold').fontSize(11).fillColor(INK).text(printable(doc, issuer), MARGIN, MARGIN)
  doc.moveDown(1.2).fontSize(18).text(printable(doc, title))
  doc.moveDown(0.3).font('regular').fontSize(BODY).fillColor(MUTED)
  for (const line of lines) doc.text(printable(doc, line))
  doc.moveDown(1.2)
}

function drawParties(doc: Doc, parties: NonNullable<PdfContent['parties']>): void {
  if (parties.length === 0) return
  const top = doc.y
  const width = widthOf(doc) / parties.length
  let bottom = top
  for (const [at, { label, lines }] of parties.entries()) {
    const options = { width: width - 2 * GAP }
    const x = MARGIN + at * width
    doc.font('bold').fontSize(BODY).fillColor(MUTED).text(printable(doc, label), x, top, options)
    doc.moveDown(0.3).font('regular').fillColor(INK)
    for (const line of lines) doc.text(printable(doc, line), x, doc.y, options)
    bottom = Math.max(bottom, doc.y)
  }
  doc.x = MARGIN
  doc.y = bottom
  doc.moveDown(1.6)
}

function drawFacts(doc: Doc, facts: PdfContent['facts']): void {
  const width = widthOf(doc)
  const indent = width * 0.32
  for (const { term, detail } of facts) {
    const { y } = doc
    doc.font('regular').fontSize(BODY).fillColor(MUTED)
    doc.text(printable(doc, term), MARGIN, y, { width: indent - GAP })
    doc.fillColor(INK).text(printable(doc, detail), MARGIN + indent, y, { width: width - indent })
    doc.moveDown(0.35)
  }
  doc.moveDown(1)
}

/**
 * A table that grows downwards and repeats its head on each page. Its last row is drawn with the
 * total and with what follows, so that no page begins with a total.
 */
function openTable(doc: Doc, { columns, total }: PdfTable) {
  const all = columns.reduce((sum, { width }) => sum + width, 0)
  let x = MARGIN
  const places = columns.map(({ width, numeric }) => {
    const place = { x, width: (widthOf(doc) * width) / all - GAP, numeric }
    x += place.width + GAP
    return place
  })
  const labels = columns.map(({ label }) => label)
  const measure = (cells: string[], font: string) => {
    doc.font(font).fontSize(BODY)
    const texts = cells.map((cell) => printable(doc, cell))
    const widths = texts.map((text) => doc.widthOfString(text))
    const heights = texts.map((text, at) =>
      widths[at]! <= places[at]!.width
        ? doc.currentLineHeight(true)
        : doc.heightOfString(text, { width: places[at]!.width }),
    )
    return { texts, widths, height: Math.max(...heights) + 2 * ROW_PAD }
  }
  const draw = (cells: string[], font: string, color: string, below = 0) => {
    const { texts, widths, height } = measure(cells, font)
    if (!fits(doc, height + below)) {
      doc.addPage()
      if (cells !== labels) draw(labels, 'bold', MUTED)
    }
    const top = doc.y
    doc.font(font).fontSize(BODY).fillColor(color)
    for (const [at, text] of texts.entries()) {
      const { x, width, numeric } = places[at]!
      // Text that fits on one line skips line breaking, which is the slowest part.
      if (widths[at]! > width) doc.text(text, x, top + ROW_PAD, { width })
      else {
        const left = numeric ? x + width - widths[at]! : x
        doc.text(text, left, top + ROW_PAD, { lineBreak: false })
      }
    }
    doc.y = top + height
    doc.moveTo(MARGIN, doc.y).lineTo(MARGIN + widthOf(doc), doc.y)
    doc.lineWidth(0.5).strokeColor(LINE).stroke()
  }
  draw(labels, 'bold', MUTED)
  let last: string[] | undefined
  return {
    addRows(rows: string[][]) {
      for (const row of rows) {
        if (last) draw(last, 'regular', INK)
        last = row
      }
    },
    /** Ends the table above something of a height, which no page break separates from it. */
    end(height: number) {
      const sum = total ? measure(total, 'bold').height : 0
      if (last) {
        const own = measure(labels, 'bold').height + measure(last, 'regular').height + sum
        const hasSpace = own + height <= emptyPage(doc)
        draw(last, 'regular', INK, hasSpace ? sum + height : sum)
      }
      if (total) draw(total, 'bold', INK)
      doc.x = MARGIN
      doc.moveDown(1)
    },
  }
}

function drawFeet(doc: Doc, { foot, mark, page_number }: PdfContent): void {
  const numbering = page_number ?? `Page ${PAGE} of ${PAGE_COUNT}`
  const { count } = doc.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page)
    // The foot is in the margin, where text would start a new page.
    doc.page.margins.bottom = 0
    if (mark) {
      doc.page.margins.top = 0
      doc.font('bold').fontSize(14).fillColor(MARK)
      doc.text(printable(doc, mark), MARGIN, MARGIN / 2, { align: 'right', lineBreak: false })
    }
    const y = doc.page.height - MARGIN + GAP
    const width = widthOf(doc)
    doc.font('regular').fontSize(8).fillColor(MUTED)
    doc.text(printable(doc, foot), MARGIN, y, { width: width - 80, lineBreak: false })
    const number = numbering.replace(PAGE, String(page + 1)).replace(PAGE_COUNT, String(count))
    doc.text(printable(doc, number), MARGIN, y, { width, align: 'right', lineBreak: false })
  }
}
