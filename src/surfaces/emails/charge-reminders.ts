import { taxLabel } from '#design/money'
import { cardName } from '#domain/payments'
import { ZERO } from '#platform/money'
import { manageLink, type PlanFacts, waivedRow } from './buyer-templates.ts'
import { type Block, type EmailContent, nameOf } from './template.ts'
import { cardNotice, renewsText, type UpcomingCharge, upcomingPlan } from './upcoming-text.ts'

/** A charge that is announced, and the page on which its buyer can cancel. */
interface Announced {
  upcoming: UpcomingCharge
  auto_renew_url: string
}

/** The trial ends in three days: what is charged then, if anything. */
export function trialEnding(
  plan: PlanFacts,
  facts: Omit<Announced, 'upcoming'> & { day: Date; upcoming: UpcomingCharge | undefined },
): EmailContent {
  const { t, day } = plan.locale
  const { upcoming } = facts
  const subject = t('email.trial_ending', { product: nameOf(plan), day: day(facts.day) })
  if (!upcoming) {
    const text = t('email.trial_off')
    const link: Block = { kind: 'link', label: t('email.keep'), url: facts.auto_renew_url }
    return { subject, heading: subject, blocks: [{ kind: 'text', text }, link] }
  }
  const blocks = announce(plan, { ...facts, upcoming }, t('email.cancel_trial_note'))
  return { subject, heading: subject, blocks: [...blocks, plan.sold_by] }
}

/** The license renews for another year in a month, or changes to the plan that its buyer chose. */
export function renewalReminder(plan: PlanFacts, facts: Announced): EmailContent {
  const { t, day } = plan.locale
  const { upcoming } = facts
  const [product, end] = [nameOf(plan), day(upcoming.day)]
  const subject = isChange(plan, upcoming)
    ? t('email.change_reminder', { product, next: upcomingPlan(plan.app_name, upcoming), day: end })
    : t('email.renewal_reminder', { product, day: end })
  const blocks = announce(plan, facts, t('email.cancel_year_note', { day: end }))
  return { subject, heading: subject, blocks: [...blocks, plan.sold_by] }
}

/** What is charged on which day, and how to cancel before that. */
function announce(
  plan: PlanFacts,
  { upcoming, auto_renew_url }: Announced,
  cancel_note: string,
): Block[] {
  const { locale } = plan
  const { t, day, money } = locale
  const amount = money(upcoming.charged)
  const charged_on = t('email.charged_on', { day: day(upcoming.day) })
  return [
    { kind: 'text', text: announcement(plan, upcoming) },
    {
      kind: 'rows',
      total: charged_on,
      rows: [
        [upcomingPlan(plan.app_name, upcoming), money(upcoming.amount)],
        [taxLabel(upcoming, locale), money(upcoming.tax)],
        ...(upcoming.charged < upcoming.total ? [waivedRow(upcoming.total, locale)] : []),
        [charged_on, amount],
      ],
    },
    ...cardNotice(plan.manage_url, upcoming, locale),
    { kind: 'link', label: t('email.cancel'), url: auto_renew_url, note: cancel_note },
    manageLink(plan, t('email.manage_upcoming')),
  ]
}

function announcement(plan: PlanFacts, upcoming: UpcomingCharge): string {
  const { app_name, locale } = plan
  const sentences = [
    chargeText(plan, upcoming),
    upcoming.card_expires ? undefined : locale.t('email.no_action'),
    renewsText(app_name, upcoming, locale),
  ]
  return sentences.filter(Boolean).join(' ')
}

function isChange(plan: Pick<PlanFacts, 'product_name'>, upcoming: UpcomingCharge): boolean {
  return upcoming.product_name !== plan.product_name
}

function chargeText({ locale, ...plan }: PlanFacts, upcoming: UpcomingCharge): string {
  const { t, money } = locale
  const product = upcomingPlan(plan.app_name, upcoming)
  const how = isChange(plan, upcoming) ? 'changes' : 'continues'
  if (upcoming.charged === ZERO) return t(`email.upcoming_free_${how}`, { product })
  const amount = money(upcoming.charged)
  return t(upcoming.is_about ? `email.upcoming_about_${how}` : `email.upcoming_${how}`, {
    card: cardName(upcoming.card, locale),
    amount,
    product,
  })
}
