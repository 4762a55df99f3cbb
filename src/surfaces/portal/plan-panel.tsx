import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { StatusBadge } from '#design/feedback'
import { Form } from '#design/forms'
import { Day, Money, Price } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import { isInDunning, isRunning } from '#domain/licensing'
import type { Locale } from '#platform/language/locale'
import { ContinueWithCard } from './continue-with-card.tsx'
import type { ManageFacts, NextFigures } from './manage-facts.ts'
import { planName } from './plan-name.ts'

type Items = Parameters<typeof DescriptionList>[0]['items']

/** The current plan, its next charge, and the available changes. */
export function PlanPanel(facts: ManageFacts): JSX.Element {
  const { next, renewing, locale } = facts
  const { t } = locale
  return (
    <Panel title={t('portal.plan')} aside={<StatusBadge status={facts.status} />}>
      {facts.status !== 'canceled' && !facts.is_uncharged && (
        <Price amount={facts.amount} frequency={facts.frequency} />
      )}
      <DescriptionList
        items={[{ term: t('portal.plan'), detail: facts.product_name }, ...itemsOf(facts)]}
      />
      {next && isCharging(facts) && <p class="text-sm text-muted">{partsOf(next, locale)}</p>}
      {facts.continuing && <ContinueWithCard {...facts.continuing} locale={locale} />}
      {renewing && <PlanActions {...facts} renewing={renewing} />}
    </Panel>
  )
}

/** Whether the next charge is automatic. */
function isCharging({ status, renewing }: ManageFacts): boolean {
  return isRunning(status) && (renewing?.auto_renew ?? false) && !renewing?.pause_at_end
}

function itemsOf(facts: ManageFacts): Items {
  const { status, canceled_at, renewing, next, locale } = facts
  const { t } = locale
  if (status === 'canceled') {
    return [
      {
        term: t('portal.ended'),
        detail: canceled_at ? <Day date={canceled_at} /> : t('portal.yes'),
      },
    ]
  }
  if (facts.is_uncharged) {
    const cost = facts.is_imported ? t('portal.cost_imported') : t('portal.cost_given')
    return [
      { term: t('portal.cost'), detail: cost },
      ...(canceled_at ? [{ term: t('portal.ends_on'), detail: <Day date={canceled_at} /> }] : []),
    ]
  }
  if (!renewing) return [{ term: t('portal.paid'), detail: t('portal.paid_once') }]
  if (isInDunning(status)) return itemsInDunning(facts)
  const day = <Day date={renewing.period_end} />
  if (status === 'paused') return [{ term: t('portal.paid_until'), detail: day }]
  const running = status === 'trialing' ? t('portal.trial_until') : t('portal.paid_until')
  if (!renewing.auto_renew) {
    return [
      { term: t('portal.ends_on'), detail: day },
      { term: t('portal.auto_renew'), detail: t('portal.off') },
    ]
  }
  const change = renewing.pending
    ? [
        {
          term: t('portal.then'),
          detail: t('portal.changes_to', { plan: planName(renewing.pending, locale) }),
        },
      ]
    : []
  if (renewing.pause_at_end) return [{ term: t('portal.pauses_on'), detail: day }, ...change]
  return [
    { term: running, detail: day },
    ...change,
    ...(renewing.discount ? [{ term: t('portal.discount'), detail: renewing.discount }] : []),
    {
      term: renewing.is_first ? t('portal.first_charge') : t('portal.next_charge'),
      detail: next && <Charge {...next} day={renewing.period_end} locale={locale} />,
    },
    { term: t('portal.auto_renew'), detail: t('portal.on') },
  ]
}

function itemsInDunning({ next, renewing, locale: { t } }: ManageFacts): Items {
  const { retry_at, gives_up_at } = renewing!
  return [
    { term: t('portal.amount_due'), detail: next && <Money amount={next.total} /> },
    {
      term: t('portal.next_retry'),
      detail: retry_at ? <Day date={retry_at} /> : t('portal.after_card'),
    },
    ...(gives_up_at
      ? [{ term: t('portal.ends_if_unpaid'), detail: <Day date={gives_up_at} /> }]
      : []),
  ]
}

function Charge(facts: NextFigures & { day: Date; locale: Locale }): JSX.Element {
  const { charged, is_about, day, locale } = facts
  const id = is_about ? 'portal.about_amount_on' : 'portal.amount_on'
  return <>{locale.rich(id, { amount: <Money amount={charged} />, day: <Day date={day} /> })}</>
}

/** The parts of the next charge. */
function partsOf(
  { amount, tax, total, charged, state, is_about }: NextFigures,
  { t, money }: Locale,
): string {
  const figures = { amount: money(amount), tax: money(tax), state }
  const parts = t(is_about ? 'portal.about_parts' : 'portal.parts', figures)
  if (charged < total) return `${parts} ${t('portal.waived')}.`
  return tax === 0 && amount > 0 ? t('portal.no_tax', { state }) : parts
}

function PlanActions(
  facts: ManageFacts & { renewing: NonNullable<ManageFacts['renewing']> },
): JSX.Element | null {
  const { status, renewing, at } = facts
  const { t } = facts.locale
  const isOwnPause = status === 'paused' && facts.paused_for === 'buyer'
  if ((status === 'paused' && !isOwnPause) || status === 'canceled') return null
  const { auto_renew, pause_at_end } = renewing
  if (isInDunning(status) || isOwnPause) {
    return (
      <Actions>
        {isOwnPause && <KeepPlan {...facts} />}
        <Button href={at('auto-renew/')}>{t('portal.cancel')}</Button>
      </Actions>
    )
  }
  return (
    <Actions>
      {!auto_renew && (
        <Button kind="primary" href={at('auto-renew/')}>
          {t('portal.keep')}
        </Button>
      )}
      {facts.may_change_plan && (
        <Button kind={auto_renew ? 'primary' : 'plain'} href={at('plan/')}>
          {t('portal.change_plan')}
        </Button>
      )}
      {/* Without a next period there is no change to cancel. */}
      {auto_renew && <KeepPlan {...facts} />}
      {auto_renew && <Button href={at('auto-renew/')}>{t('portal.cancel')}</Button>}
      {(facts.may_pause || pause_at_end) && (
        <Button href={at('pause/')}>
          {pause_at_end ? t('portal.cancel_pause') : t('portal.pause')}
        </Button>
      )}
    </Actions>
  )
}

/** Cancels the scheduled plan change, if any. */
function KeepPlan({ renewing, at, csrf_token, locale: { t } }: ManageFacts): JSX.Element | null {
  if (!renewing?.pending) return null
  return (
    <Form action={at('plan/keep')} csrf_token={csrf_token}>
      <input type="hidden" name="price_id" value={renewing.pending.id} />
      <Button pending={t('portal.saving')}>{t('portal.keep_plan')}</Button>
    </Form>
  )
}
