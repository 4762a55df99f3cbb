import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { Day } from '#design/money'
import { isInDunning } from '#domain/licensing'
import type { ManageFacts } from './manage-facts.ts'
import { planName } from './plan-name.ts'

/** Why a license cannot be used, and what to do about it. */
export function StatusNote(facts: ManageFacts): JSX.Element | null {
  const { status, app_name: app, locale } = facts
  const { t } = locale
  if (isInDunning(status)) return <PaymentFailed {...facts} />
  if (status === 'paused') return <Paused {...facts} />
  if (status !== 'canceled') return null
  return (
    <StatusAlert
      title={t('portal.ended_title')}
      action={
        facts.buy_url && (
          <Button kind="primary" href={facts.buy_url}>
            {t('portal.buy_again')}
          </Button>
        )
      }
    >
      {facts.buy_url
        ? t('portal.ended_text')
        : t('portal.not_sold', { app, text: t('portal.ended_text') })}
    </StatusAlert>
  )
}

function StatusAlert(facts: {
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}): JSX.Element {
  return (
    <section
      aria-label={facts.title}
      class="flex gap-4 rounded-box border border-warning bg-base-100 p-5 sm:p-6"
    >
      <span class="mt-0.5 text-warning">
        <Icon name="warning" />
      </span>
      <div class="grid gap-4">
        <div class="grid gap-1">
          <h2 class="text-lg font-semibold">{facts.title}</h2>
          <div class="text-sm">{facts.children}</div>
        </div>
        {facts.action && <Actions>{facts.action}</Actions>}
      </div>
    </section>
  )
}

function PaymentFailed(facts: ManageFacts): JSX.Element | null {
  const { at, csrf_token, renewing, next, locale } = facts
  const { t, rich, money } = locale
  if (!renewing || !next) return null
  const { declined, needs_other_card, retry_at, gives_up_at } = renewing
  const kindOf = (is_first: boolean) => (is_first ? 'primary' : 'plain')
  const update = (
    <Form action={at('card')} csrf_token={csrf_token}>
      <Button kind={kindOf(needs_other_card)} icon="card" pending={t('portal.opening')}>
        {t('portal.update_your_card')}
      </Button>
    </Form>
  )
  const pay = (
    <Form action={at('pay')} csrf_token={csrf_token}>
      <input type="hidden" name="total" value={next.total} />
      <Button kind={kindOf(!needs_other_card)} pending={t('portal.paying')}>
        {t('portal.pay_now', { amount: money(next.total) })}
      </Button>
    </Form>
  )
  return (
    <StatusAlert
      title={t('portal.failed_title')}
      action={needs_other_card ? [update, pay] : [pay, update]}
    >
      {declined} {t('portal.pay_to_restore')}{' '}
      {retry_at && <>{rich('portal.retry_on', { day: <Day date={retry_at} /> })} </>}
      {gives_up_at && rich('portal.if_unpaid', { day: <Day date={gives_up_at} /> })}
    </StatusAlert>
  )
}

function Paused(facts: ManageFacts): JSX.Element {
  const { paused_for, is_disputed, at, csrf_token, next, frequency, renewing, locale } = facts
  const { t, money } = locale
  if (paused_for === 'buyer' && is_disputed) {
    return <StatusAlert title={t('portal.you_paused')}>{t('portal.paused_disputed')}</StatusAlert>
  }
  if (paused_for === 'buyer' && next && frequency) {
    return (
      <StatusAlert
        title={t('portal.you_paused')}
        action={
          <Form action={at('pay')} csrf_token={csrf_token}>
            <input type="hidden" name="total" value={next.total} />
            <Button kind="primary" pending={t('portal.paying')}>
              {t(next.is_about ? 'portal.resume_for_about' : 'portal.resume_for', {
                amount: money(next.charged),
              })}
            </Button>
          </Form>
        }
      >
        {renewing?.pending
          ? t('portal.paused_plan', { plan: planName(renewing.pending, locale) })
          : t(`portal.paused_${frequency}`)}
      </StatusAlert>
    )
  }
  return (
    <StatusAlert title={t('portal.paused_title')}>
      {t(paused_for === 'dispute' ? 'portal.paused_dispute' : 'portal.paused_staff')}
    </StatusAlert>
  )
}
