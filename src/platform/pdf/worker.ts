/**
 * Draws one document at a time, in its own thread, so that the event loop that answers requests
 * never waits for it. The rows of a long table arrive in parts, each requested when the last was
 * drawn.
 */
import { parentPort } from 'node:worker_threads'
import { type OpenDocument, startDocument } from './draw.ts'
import type { PdfAnswer, PdfRequest } from './pool.ts'

let open: OpenDocument | undefined

parentPort!.on('message', async (request: PdfRequest) => {
  const answer = (message: PdfAnswer, moved: ArrayBuffer[] = []) =>
    parentPort!.postMessage(message, moved)
  try {
    if (request.kind === 'begin' || request.kind === 'whole') open = startDocument(request.content)
    if (request.kind === 'rows') open!.addRows(request.rows)
    if (request.kind === 'begin' || request.kind === 'rows') return answer({ kind: 'more' })
    const drawn = await open!.end()
    const pdf = Uint8Array.from(drawn)
    answer({ kind: 'done', pdf }, [pdf.buffer])
  } catch (error) {
    answer({ kind: 'failed', message: (error as Error).message })
  }
})
