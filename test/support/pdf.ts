import PDFParser from 'pdf2json'

/** The text of a PDF in one line, and its metadata. */
export interface ReadPdf {
  text: string
  /** The lines of all pages. */
  lines: string[]
  pages: number
  /** The text of each page. */
  page_texts: string[]
  title: string
  author: string
}

/** Reads a PDF. */
export async function readPdf(pdf: Buffer): Promise<ReadPdf> {
  const parser = new PDFParser(null, true)
  const read = await new Promise<{ Pages: unknown[]; Meta: Record<string, unknown> }>(
    (resolve, reject) => {
      parser.on('pdfParser_dataReady', (data) => resolve(data as never))
      parser.on('pdfParser_dataError', (error) => reject(error))
      // The parser reads all of the memory behind a buffer, of which a response may be a part.
      parser.parseBuffer(Buffer.from(Uint8Array.from(pdf).buffer))
    },
  )
  const raw = parser.getRawTextContent()
  const texts = raw.split(/-+Page \(\d+\) Break-+/).map((text) => text.replaceAll(/\s+/g, ' '))
  const page_texts = texts.slice(0, read.Pages.length)
  return {
    text: texts.join('').replaceAll(/\s+/g, ' '),
    lines: raw.split(/\r?\n/).map((line) => line.trim()),
    pages: read.Pages.length,
    page_texts,
    title: String(read.Meta.Title),
    author: String(read.Meta.Author),
  }
}
