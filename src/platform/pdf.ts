import PDFDocument from 'pdfkit'

/** A paper of the service: who says what to whom, its figures, and a table. */
export interface Paper {
  /** What it is, "Payout statement 12". */
  title: string
  /** When it is made; the same facts at the same time are the same bytes. */
  now: Date
  /** Under the title: whose it is and what for, a line each. */
  lines: string[]
  /** Who deals with whom, beside each other. */
  parties?: { label: string; lines: string[] }[]
  /** Facts with their names. */
  facts: { term: string; detail: string }[]
  table?: PaperTable
  /** Figures under the table, one below the other. */
  totals?: { label: string; amount: string; strong?: boolean }[]
  /** Sentences below the table. */
  notes?: string[]
  /** At the foot of every page, beside its number. */
  foot: string
}

/** A table; its widths are shares of the page's. */
export interface PaperTable {
  columns: { label: string; width: number; numeric?: boolean }[]
  rows: string[][]
  /** The last row, set apart. */
  total?: string[]
}

const MARGIN = 54
const BODY = 9.5
const INK = '#17211f'
const MUTED = '#56635e'
const LINE = '#cfc9bb'
const GAP = 8
const ROW_PAD = 4

type Doc = PDFKit.PDFDocument

/** Draws a paper in US letter size. */
export async function drawPaper(paper: Paper): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: { Title: paper.title, Author: 'Purser', CreationDate: paper.now, ModDate: paper.now },
  })
  const parts: Buffer[] = []
  doc.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve) => doc.on('end', resolve))
  drawHead(doc, paper)
  drawParties(doc, paper.parties ?? [])
  drawFacts(doc, paper.facts)
  if (paper.table) drawTable(doc, paper.table)
  drawTotals(doc, paper.totals ?? [])
  for (const note of paper.notes ?? []) {
    doc.moveDown(0.6).font('Helvetica').fontSize(BODY).fillColor(MUTED)
    doc.text(printable(note), MARGIN, doc.y, { width: widthOf(doc) })
  }
  drawFeet(doc, paper.foot)
  doc.end()
  await ended
  return Buffer.concat(parts)
}

// The fonts that every reader has know the letters of Western Europe.
const UNPRINTABLE = /[^\x20-\x7e\xa0-\xff‘’“”–—•…€™]/gu

/** A text in the letters that the paper's fonts have; others become question marks. */
export function printable(text: string): string {
  return text.normalize('NFC').replaceAll(UNPRINTABLE, '?')
}

function widthOf(doc: Doc): number {
  return doc.page.width - 2 * MARGIN
}

function drawHead(doc: Doc, { title, lines }: Paper): void {
  doc.font('Helvetica-Bold').fontSize(11).fillColor(INK).text('Purser', MARGIN, MARGIN)
  doc.moveDown(1.2).fontSize(18).text(printable(title))
  doc.moveDown(0.3).font('Helvetica').fontSize(BODY).fillColor(MUTED)
  for (const line of lines) doc.text(printable(line))
  doc.moveDown(1.2)
}

function drawParties(doc: Doc, parties: NonNullable<Paper['parties']>): void {
  if (parties.length === 0) return
  const top = doc.y
  const width = widthOf(doc) / parties.length
  let bottom = top
  for (const [at, { label, lines }] of parties.entries()) {
    const options = { width: width - 2 * GAP }
    const x = MARGIN + at * width
    doc
      .font('Helvetica-Bold')
      .fontSize(BODY)
      .fillColor(MUTED)
      .text(printable(label), x, top, options)
    doc.moveDown(0.3).font('Helvetica').fillColor(INK)
    for (const line of lines) doc.text(printable(line), x, doc.y, options)
    bottom = Math.max(bottom, doc.y)
  }
  doc.x = MARGIN
  doc.y = bottom
  doc.moveDown(1.6)
}

function drawFacts(doc: Doc, facts: Paper['facts']): void {
  const width = widthOf(doc)
  const indent = width * 0.32
  for (const { term, detail } of facts) {
    const { y } = doc
    doc.font('Helvetica').fontSize(BODY).fillColor(MUTED)
    doc.text(printable(term), MARGIN, y, { width: indent - GAP })
    doc.fillColor(INK).text(printable(detail), MARGIN + indent, y, { width: width - indent })
    doc.moveDown(0.35)
  }
  doc.moveDown(1)
}

function drawTable(doc: Doc, { columns, rows, total }: PaperTable): void {
  const all = columns.reduce((sum, { width }) => sum + width, 0)
  let x = MARGIN
  const places = columns.map(({ width, numeric }) => {
    const place = { x, width: (widthOf(doc) * width) / all, numeric }
    x += place.width
    return place
  })
  const draw = (cells: string[], font: string, color: string) => {
    doc.font(font).fontSize(BODY)
    const options = (at: number) => ({
      width: places[at]!.width - GAP,
      align: places[at]!.numeric ? ('right' as const) : ('left' as const),
    })
    const heights = cells.map((cell, at) => doc.heightOfString(printable(cell), options(at)))
    const height = Math.max(...heights) + 2 * ROW_PAD
    if (doc.y + height > doc.page.height - MARGIN - 2 * GAP) {
      doc.addPage()
      if (cells !== labels) draw(labels, 'Helvetica-Bold', MUTED)
    }
    const top = doc.y
    doc.font(font).fontSize(BODY).fillColor(color)
    for (const [at, cell] of cells.entries()) {
      doc.text(printable(cell), places[at]!.x, top + ROW_PAD, options(at))
    }
    doc.y = top + height
    doc.moveTo(MARGIN, doc.y).lineTo(MARGIN + widthOf(doc), doc.y)
    doc.lineWidth(0.5).strokeColor(LINE).stroke()
  }
  const labels = columns.map(({ label }) => label)
  draw(labels, 'Helvetica-Bold', MUTED)
  for (const row of rows) draw(row, 'Helvetica', INK)
  if (total) draw(total, 'Helvetica-Bold', INK)
  doc.x = MARGIN
  doc.moveDown(1)
}

/** Figures on the right half of the page; they stay together. */
function drawTotals(doc: Doc, totals: NonNullable<Paper['totals']>): void {
  if (totals.length === 0) return
  const width = widthOf(doc) * 0.55
  const x = MARGIN + widthOf(doc) - width
  const height = BODY * 1.2 + 2 * ROW_PAD
  if (doc.y + totals.length * height > doc.page.height - MARGIN - 2 * GAP) doc.addPage()
  else doc.moveUp(0.6)
  for (const { label, amount, strong } of totals) {
    const top = doc.y
    if (strong) {
      doc
        .moveTo(x, top)
        .lineTo(x + width, top)
        .lineWidth(0.5)
        .strokeColor(INK)
        .stroke()
    }
    doc.font(strong ? 'Helvetica-Bold' : 'Helvetica').fontSize(BODY)
    doc
      .fillColor(strong ? INK : MUTED)
      .text(printable(label), x, top + ROW_PAD, { width: width * 0.7 })
    const bottom = doc.y
    const money = { width: width - GAP, align: 'right' as const }
    doc.fillColor(INK).text(printable(amount), x, top + ROW_PAD, money)
    doc.y = Math.max(bottom, doc.y) + ROW_PAD
  }
  doc.x = MARGIN
  doc.moveDown(1)
}

function drawFeet(doc: Doc, foot: string): void {
  const { count } = doc.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page)
    // The foot stands in the margin, where text would begin a page of its own.
    doc.page.margins.bottom = 0
    const y = doc.page.height - MARGIN + GAP
    const width = widthOf(doc)
    doc.font('Helvetica').fontSize(8).fillColor(MUTED)
    doc.text(printable(foot), MARGIN, y, { width: width - 80, lineBreak: false })
    const number = `Page ${page + 1} of ${count}`
    doc.text(number, MARGIN, y, { width, align: 'right', lineBreak: false })
  }
}
