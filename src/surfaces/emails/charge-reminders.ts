import { taxLabel } from '#design/money'
import { cardName } from '#domain/payments'
import { ZERO } from '#platform/money'
import { manage, type PlanFacts, waivedRow } from './buyer-templates.ts'
import { type Coming, cardNotice, comingName, renewsText } from './coming-text.ts'
import { type Block, type EmailContent, nameOf } from './template.ts'

/** A charge that is announced, and the page on which its buyer can cancel. */
interface Announced {
  coming: Coming
  auto_renew_url: string
}

/** The trial ends in three days: what is charged then, if anything. */
export function trialEnding(
  plan: PlanFacts,
  facts: Omit<Announced, 'coming'> & { day: Date; coming: Coming | undefined },
): EmailContent {
  const { t, day } = plan.locale
  const { coming } = facts
  const subject = t('email.trial_ending', { product: nameOf(plan), day: day(facts.day) })
  if (!coming) {
    const text = t('email.trial_off')
    const link: Block = { kind: 'link', label: t('email.keep'), url: facts.auto_renew_url }
    return { subject, heading: subject, blocks: [{ kind: 'text', text }, link] }
  }
  const blocks = announce(plan, { ...facts, coming }, t('email.cancel_trial_note'))
  return { subject, heading: subject, blocks: [...blocks, plan.sold_by] }
}

/** The license renews for another year in a month, or changes to the plan that its buyer chose. */
export function renewalReminder(plan: PlanFacts, facts: Announced): EmailContent {
  const { t, day } = plan.locale
  const { coming } = facts
  const [product, end] = [nameOf(plan), day(coming.day)]
  const subject = isChange(plan, coming)
    ? t('email.change_reminder', { product, next: comingName(plan.app_name, coming), day: end })
    : t('email.renewal_reminder', { product, day: end })
  const blocks = announce(plan, facts, t('email.cancel_year_note', { day: end }))
  return { subject, heading: subject, blocks: [...blocks, plan.sold_by] }
}

/** What is charged on which day, and how to cancel before that. */
function announce(
  plan: PlanFacts,
  { coming, auto_renew_url }: Announced,
  cancel_note: string,
): Block[] {
  const { locale } = plan
  const { t, day, money } = locale
  const amount = money(coming.charged)
  return [
    { kind: 'text', text: comingText(plan, coming) },
    {
      kind: 'rows',
      rows: [
        [comingName(plan.app_name, coming), money(coming.amount)],
        [taxLabel(coming, locale), money(coming.tax)],
        ...(coming.charged < coming.total ? [waivedRow(coming.total, locale)] : []),
        [t('email.charged_on', { day: day(coming.day) }), amount],
      ],
    },
    ...cardNotice(plan.manage_url, coming, locale),
    { kind: 'link', label: t('email.cancel'), url: auto_renew_url, note: cancel_note },
    manage(plan, t('email.manage_coming')),
  ]
}

function comingText(plan: PlanFacts, coming: Coming): string {
  const { app_name, locale } = plan
  const sentences = [
    chargeText(plan, coming),
    coming.card_expires ? undefined : locale.t('email.no_action'),
    renewsText(app_name, coming, locale),
  ]
  return sentences.filter(Boolean).join(' ')
}

function isChange(plan: Pick<PlanFacts, 'product_name'>, coming: Coming): boolean {
  return coming.product_name !== plan.product_name
}

function chargeText({ locale, ...plan }: PlanFacts, coming: Coming): string {
  const { t, money } = locale
  const product = comingName(plan.app_name, coming)
  const how = isChange(plan, coming) ? 'changes' : 'continues'
  if (coming.charged === ZERO) return t(`email.coming_free_${how}`, { product })
  const amount = money(coming.charged)
  return t(coming.is_about ? `email.coming_about_${how}` : `email.coming_${how}`, {
    card: cardName(coming.card, locale),
    amount,
    product,
  })
}
