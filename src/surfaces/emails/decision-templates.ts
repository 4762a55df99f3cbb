import type { AppDecision, SellerDecision } from '#flows/closed-sets'
import type { EmailContent } from './template.ts'

const OF_SELLER: Record<SellerDecision, (name: string) => [heading: string, text: string]> = {
  suspended: (name) => [
    `${name} is suspended`,
    'None of your apps is for sale or listed. Your customers keep their licenses, and their subscriptions renew. You can view your dashboard, but you cannot change anything except your bank account for payouts.',
  ],
  reinstated: (name) => [
    `${name} is no longer suspended`,
    'Your apps are for sale and listed as before, and you can change them again.',
  ],
  payouts_paused: (name) => [
    `Payouts to ${name} are paused`,
    'Your balance keeps growing with your sales, and is paid out once they are resumed.',
  ],
  payouts_resumed: (name) => [
    `Payouts to ${name} are resumed`,
    'Your balance is paid out on Monday, or when you request it.',
  ],
}

/** Staff suspended a seller or paused its payouts, or ended that. */
export function sellerDecided(facts: {
  legal_name: string
  what: SellerDecision
  reason: string
  url: string
  help_url: string
}): EmailContent {
  const [heading, text] = OF_SELLER[facts.what](facts.legal_name)
  return contentOf(heading, { ...facts, text, label: 'Open your dashboard' })
}

/** Staff suspended an app, or reinstated it. */
export function appDecided(facts: {
  app_name: string
  what: AppDecision
  /** Whether the seller is suspended, and the app with it. */
  is_seller_suspended: boolean
  reason: string
  url: string
  help_url: string
}): EmailContent {
  const { app_name, what } = facts
  const isSuspended = what === 'suspended'
  if (!isSuspended && facts.is_seller_suspended) {
    const text = 'It is for sale and listed again once its seller is reinstated too.'
    return contentOf(`${app_name} was reinstated`, { ...facts, text, label: 'Open the app' })
  }
  const heading = isSuspended ? `${app_name} is suspended` : `${app_name} is no longer suspended`
  const text = isSuspended
    ? 'The app is not for sale and not listed. Its customers keep their licenses, and their subscriptions renew.'
    : 'The app is for sale and listed as before.'
  return contentOf(heading, { ...facts, text, label: 'Open the app' })
}

function contentOf(
  heading: string,
  facts: { text: string; reason: string; label: string; url: string; help_url: string },
): EmailContent {
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: [['Reason', facts.reason]] },
      { kind: 'text', text: facts.text },
      { kind: 'link', label: facts.label, url: facts.url },
      { kind: 'link', label: 'Help and contact', url: facts.help_url },
    ],
  }
}
