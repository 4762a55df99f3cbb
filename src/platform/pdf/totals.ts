import type { PdfContent } from './content.ts'
import {
  BODY,
  type Doc,
  emptyPage,
  fits,
  GAP,
  INK,
  MARGIN,
  MUTED,
  printable,
  ROW_PAD,
  widthOf,
} from './page.ts'

/** Figures with their places. */
interface MeasuredTotals {
  rows: { label: string; amount: string; strong: boolean; width: number; height: number }[]
  width: number
  /** Of the whole block, with the space above it. */
  height: number
}

/** The font of a figure. */
function setFont(doc: Doc, strong: boolean): void {
  doc.font(strong ? 'bold' : 'regular').fontSize(BODY)
}

/** Figures for the right half of a page; for more of it where a label needs that for one line. */
export function measureTotals(doc: Doc, totals: NonNullable<PdfContent['totals']>): MeasuredTotals {
  const texts = totals.map(({ strong = false, ...texts }) => {
    setFont(doc, strong)
    const [label, amount] = [printable(doc, texts.label), printable(doc, texts.amount)]
    const [needed, beside] = [doc.widthOfString(label), doc.widthOfString(amount) + 2 * GAP]
    return { label, amount, strong, beside, width: needed + beside }
  })
  const needed = Math.max(widthOf(doc) * 0.55, ...texts.map((text) => Math.ceil(text.width)))
  const width = Math.min(needed, widthOf(doc))
  const rows = texts.map(({ beside, ...text }) => {
    setFont(doc, text.strong)
    const column = width - beside
    const height = doc.heightOfString(text.label, { width: column }) + 2 * ROW_PAD
    return { ...text, width: column, height }
  })
  const space = rows.length > 0 ? doc.currentLineHeight(true) : 0
  return { rows, width, height: rows.reduce((sum, { height }) => sum + height, space) }
}

/** Draws figures, without a page break between them unless they are more than a page. */
export function drawTotals(doc: Doc, totals: MeasuredTotals): void {
  const { rows, width } = totals
  if (rows.length === 0) return
  const x = MARGIN + widthOf(doc) - width
  if (!fits(doc, totals.height) && totals.height <= emptyPage(doc)) doc.addPage()
  else doc.moveUp(0.6)
  for (const { label, amount, strong, height, width: column } of rows) {
    if (!fits(doc, height)) doc.addPage()
    const top = doc.y
    if (strong) {
      doc
        .moveTo(x, top)
        .lineTo(x + width, top)
        .lineWidth(0.5)
        .strokeColor(INK)
        .stroke()
    }
    setFont(doc, strong)
    doc.fillColor(strong ? INK : MUTED).text(label, x, top + ROW_PAD, { width: column })
    const money = { width: width - GAP, align: 'right' as const }
    doc.fillColor(INK).text(amount, x, top + ROW_PAD, money)
    doc.y = top + height
  }
  doc.x = MARGIN
  doc.moveDown(1)
}
