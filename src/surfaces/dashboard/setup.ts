import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { CHECK_TITLES } from './checks-panel.tsx'

/** The status of an app's request for external sales. */
export type ApprovalState = 'none' | 'requested' | 'refused' | 'approved'

/** A step from an empty app to its first sale. */
export interface SetupStep {
  name: 'plan' | 'secret' | 'login_url' | 'test' | 'checks' | 'listing' | 'approval' | 'publish'
  title: string
  text: string
  is_done: boolean
  /** The page where it is done; undefined for a button of this page. */
  link: { href: string; label: string } | undefined
}

/** The setup steps of an app: what is done and what is missing. */
export interface AppSetup {
  steps: SetupStep[]
  approval: ApprovalState
  /** Why staff refused; empty unless they did. */
  refusal: string
}

/** Reads the setup progress of an app. */
export async function readSetup({ db }: World, app: apps.App): Promise<AppSetup> {
  const client = await apps.getClientOf(db, app.id)
  const request = await apps.latestApproval(db, app.id)
  const approval = approvalOf(app, request)
  const facts = {
    app,
    has_plan: (await catalog.products(db, app.id)).length > 0,
    has_secret: client.secret_hash !== null,
    has_license: await licensing.hasLicenses(db, app.id),
    checks: await apps.lastChecks(db, app.id),
    approval,
  }
  return { steps: stepsOf(facts), approval, refusal: request?.reason ?? '' }
}

function approvalOf(app: apps.App, request: apps.ApprovalRequest | undefined): ApprovalState {
  if (app.external_sales_enabled) return 'approved'
  if (!request) return 'none'
  return request.decided_at ? 'refused' : 'requested'
}

const APPROVAL_TEXT: Record<ApprovalState, string> = {
  none: 'Purser reviews each app once. Your Buy links work after that.',
  requested: 'Requested. We email you when it is decided.',
  refused: 'Refused. Fix what the reason describes, then request approval again.',
  approved: 'Approved. Your Buy links work while the app is published.',
}

function stepsOf(facts: {
  app: apps.App
  has_plan: boolean
  has_secret: boolean
  has_license: boolean
  checks: apps.CheckRun | undefined
  approval: ApprovalState
}): SetupStep[] {
  const { app, approval } = facts
  const to = (page: Parameters<typeof addressOf>[1], label: string) => ({
    href: addressOf(app.slug, page),
    label,
  })
  const hasListing = app.tagline !== '' && app.description !== ''
  return [
    {
      name: 'plan',
      title: 'Add a plan',
      text: 'What you sell, and what it costs.',
      is_done: facts.has_plan,
      link: to('plans', facts.has_plan ? 'Edit plans' : 'Add a plan'),
    },
    {
      name: 'secret',
      title: 'Create a client secret',
      text: 'Your server uses it to check licenses.',
      is_done: facts.has_secret,
      link: to('integration', facts.has_secret ? 'View credentials' : 'Create secret'),
    },
    {
      name: 'login_url',
      title: 'Set the Login URL',
      text: 'Buyers return to this page of your app. Until you set it, they return to your website.',
      is_done: app.oauth_login_url !== app.url,
      link: to('integration', 'Edit URLs'),
    },
    {
      name: 'test',
      title: 'Try a purchase',
      text: 'Start a preview: it gives you a real key, and nothing is charged.',
      is_done: facts.has_license,
      link: to('integration', 'Start a preview'),
    },
    ...checksStep(facts.checks, to('integration', 'View checks')),
    {
      name: 'listing',
      title: 'Write the listing',
      text: 'The tagline and the description of your product page.',
      is_done: hasListing,
      link: to('listing', 'Edit listing'),
    },
    {
      name: 'approval',
      title: 'Request approval',
      text: APPROVAL_TEXT[approval],
      is_done: approval === 'approved',
      link: undefined,
    },
    {
      name: 'publish',
      title: 'Publish',
      text: app.is_published
        ? 'Published. The app is in the marketplace.'
        : 'Shows your app in the marketplace, and opens its Buy links once it is approved.',
      is_done: app.is_published,
      link: undefined,
    },
  ]
}

/** A step only where the last run of the checks found an error. */
function checksStep(checks: apps.CheckRun | undefined, link: SetupStep['link']): SetupStep[] {
  const errors = checks?.findings.filter(({ outcome }) => outcome === 'error') ?? []
  if (errors.length === 0) return []
  const text = errors.map((finding) => `${CHECK_TITLES[finding.check]}: ${finding.text}`).join(' ')
  return [
    { name: 'checks', title: 'Fix the errors that the checks found', text, is_done: false, link },
  ]
}
