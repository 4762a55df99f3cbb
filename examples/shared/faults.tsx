/** What a visitor sees when something failed. The error itself only goes to the log. */
import { PurserError, RateLimitedError, UnreachableError } from '@purser/client'
import type { VNode } from 'preact'
import { NoticePage } from './pages/notice.tsx'

type Fault = { status: number; retry_after?: number; page: VNode }

/** The page for an error that no route handled; `address` is the requested path. */
export function faultOf(error: unknown, address: string): Fault {
  if (error instanceof UnreachableError || error instanceof RateLimitedError) {
    const text =
      'Our license service is not answering, so this page cannot open yet. Nothing is wrong with your ' +
      'license.'
    const retry_after = error instanceof RateLimitedError ? error.retry_after : 10
    return { ...notice(503, 'We cannot check licenses right now', text, address), retry_after }
  }
  if (error instanceof PurserError) {
    return notice(
      500,
      'Our fault, not yours',
      'This site is set up incorrectly. We have been notified.',
    )
  }
  const status = Number(Object(error).statusCode ?? 500)
  if (status < 500) return notice(status, 'That did not arrive well', 'Go back and try once more.')
  return notice(500, 'Our fault, not yours', 'Something broke on our side. We have been notified.')
}

export function nothingHere(): Fault {
  return notice(404, 'Nothing washed up here', 'There is no page at this address.')
}

function notice(status: number, title: string, text: string, again?: string): Fault {
  const page = (
    <NoticePage title={title}>
      <p class="lead">{text}</p>
      <p class="actions">
        {again && (
          <a class="button is-strong" href={again}>
            Try again
          </a>
        )}
        <a class="button" href="/">
          To the home page
        </a>
      </p>
    </NoticePage>
  )
  return { status, page }
}
