import type { JSX } from 'preact'
import { Alert } from '#design/feedback'
import type { App } from '#domain/apps'
import type { Membership } from '#domain/sellers'
import { AskForReview } from './review-link.tsx'

/** A suspended app, and whether its seller is suspended: then none of its pages can be changed. */
export interface AppSuspension {
  app_name: string
  is_of_seller: boolean
}

/** The suspension of an app as a member of its seller sees it; undefined if there is none. */
export function suspensionOf(
  app: Pick<App, 'name' | 'is_suspended'>,
  member: Pick<Membership, 'is_suspended'>,
): AppSuspension | undefined {
  if (!app.is_suspended) return undefined
  return { app_name: app.name, is_of_seller: member.is_suspended }
}

/** Says on a page of an app that it is suspended, and what that means for its seller. */
export function SuspendedApp({
  suspension,
}: {
  suspension: AppSuspension | undefined
}): JSX.Element | null {
  if (!suspension) return null
  const { app_name, is_of_seller } = suspension
  return (
    <Alert
      tone="warning"
      title={`${app_name} is suspended${is_of_seller ? ' with its seller' : ''}`}
    >
      It is not for sale and not listed{is_of_seller && ', and nothing can be changed here'}. Its
      customers keep their licenses, and their subscriptions renew. We emailed the reason to the
      owner{is_of_seller ? ' and the admins' : ', the admins and the developers'}. <AskForReview />
    </Alert>
  )
}
