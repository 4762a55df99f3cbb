import type { ComponentChildren } from 'preact'
import { SignOutForm } from './sign-out.tsx'

type Row = { term: string; detail: ComponentChildren }

/** What opened the page, row by row, with the links to manage it and to sign out. */
export function AccessCard({
  title,
  rows,
  manage,
}: {
  title: string
  rows: Row[]
  manage: string
}) {
  return (
    <section class="license" aria-labelledby="access">
      <h2 id="access">
        <svg class="tick" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 10.5l4 4 8-9" />
        </svg>
        {title}
      </h2>
      <dl>
        {rows.map(({ term, detail }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{detail}</dd>
          </div>
        ))}
      </dl>
      <div class="license-actions">
        <a class="button" href={manage}>
          Manage plan
        </a>
        <SignOutForm />
      </div>
    </section>
  )
}
