import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { CsrfField } from './forms.tsx'
import { ViewedAs } from './menu.tsx'
import { formatMoment } from './money.tsx'

/** The banner on every page while staff are viewing a seller's pages, with the button to stop. */
export function ViewingBanner(): JSX.Element | null {
  const viewing = useContext(ViewedAs)
  if (!viewing) return null
  return (
    <section
      aria-label="Viewing as a seller"
      class="sticky top-0 z-10 border-b-4 border-warning bg-base-content text-base-100"
    >
      <div class="mx-auto flex max-w-5xl flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 py-3 text-sm">
        <p class="min-w-0 wrap-anywhere">
          <strong>Viewing as {viewing.legal_name}.</strong> Read-only, until{' '}
          {formatMoment(viewing.until)}.
        </p>
        <form method="post" action={viewing.stop} class="flex">
          <CsrfField token={viewing.csrf_token} />
          <button class="btn min-h-11" type="submit" data-pending="One moment…">
            Stop viewing
          </button>
        </form>
      </div>
    </section>
  )
}
