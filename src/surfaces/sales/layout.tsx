import type { ComponentChildren, JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { SuspendedApp } from '#http/suspended-app'
import type { SalesPageFacts } from './sales-context.ts'

/** A page about an app's sales: its header, whether the app is suspended, and its content. */
export function SalesLayout(
  facts: Pick<SalesPageFacts, 'suspension' | 'notice'> & {
    title: string
    has_error?: boolean
    header: JSX.Element
    children: ComponentChildren
  },
): JSX.Element {
  const { title, has_error = false, notice } = facts
  return (
    <SiteLayout title={title} has_error={has_error} notice={notice}>
      {facts.header}
      <SuspendedApp suspension={facts.suspension} />
      {facts.children}
    </SiteLayout>
  )
}
