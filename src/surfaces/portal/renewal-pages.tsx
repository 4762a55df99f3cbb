import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form } from '#design/forms'
import { Day } from '#design/money'
import type { Cents } from '#platform/money'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

interface AutoRenewFacts extends ManageLayoutFacts {
  is_on: boolean
  /** True while a failed renewal is retried. */
  is_in_dunning: boolean
  /** True if turning auto-renew off ends the license immediately. */
  ends_now: boolean
  is_trial: boolean
  plan: string
  period_end: Date
  total: Cents
  is_about: boolean
  may_pause: boolean
}

/** Asks whether to cancel, or to keep a canceled subscription. */
export function AutoRenewPage(facts: AutoRenewFacts): JSX.Element {
  if (facts.ends_now) return <EndNow {...facts} />
  return facts.is_on ? <TurnOff {...facts} /> : <TurnOn {...facts} />
}

function Switch(facts: AutoRenewFacts & { to: 'on' | 'off'; text: string; kind?: 'danger' }) {
  return (
    <Form action={facts.at('auto-renew/')} csrf_token={facts.csrf_token}>
      <input type="hidden" name="to" value={facts.to} />
      {facts.ends_now && <input type="hidden" name="ends_now" value="yes" />}
      <Button kind={facts.kind ?? 'primary'} pending={facts.locale.t('portal.saving')} wide>
        {facts.text}
      </Button>
    </Form>
  )
}

function Keep({ at, children }: Pick<AutoRenewFacts, 'at'> & { children: string }): JSX.Element {
  return (
    <Button href={at()} wide>
      {children}
    </Button>
  )
}

function TurnOff(facts: AutoRenewFacts): JSX.Element {
  const { plan, period_end, is_trial, may_pause, at, locale } = facts
  const { t, rich } = locale
  return (
    <QuestionPage {...facts} title={t('portal.cancel')}>
      <p>
        {rich(is_trial ? 'portal.renew_off_trial' : 'portal.renew_off_paid', {
          plan,
          day: <Day date={period_end} />,
        })}
      </p>
      <p class="text-sm text-muted">
        {t('portal.renew_off_note')}
        {may_pause && (
          <>
            {' '}
            {rich('portal.pause_instead', {
              link: (text) => <TextLink href={at('pause/')}>{text}</TextLink>,
            })}
          </>
        )}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" text={t('portal.cancel')} kind="danger" />
        <Keep at={at}>{t('portal.keep')}</Keep>
      </div>
    </QuestionPage>
  )
}

function TurnOn(facts: AutoRenewFacts): JSX.Element {
  const { plan, period_end, total, at, locale } = facts
  const { t, day, money } = locale
  return (
    <QuestionPage {...facts} title={t('portal.renew_on_title')}>
      <p>{t(nextChargeText(facts), { plan, day: day(period_end), amount: money(total) })}</p>
      <div class="grid gap-3">
        <Switch {...facts} to="on" text={t('portal.keep')} />
        <Keep at={at}>{t('portal.let_end')}</Keep>
      </div>
    </QuestionPage>
  )
}

function nextChargeText({ is_trial, is_about }: AutoRenewFacts) {
  if (is_trial) return is_about ? 'portal.renew_on_trial_about' : 'portal.renew_on_trial_text'
  return is_about ? 'portal.renew_on_about' : 'portal.renew_on_text'
}

function EndNow(facts: AutoRenewFacts): JSX.Element {
  const { plan, total, at, is_in_dunning, locale } = facts
  const { t, money } = locale
  return (
    <QuestionPage {...facts} title={t('portal.cancel_plan', { plan })}>
      <p>
        {is_in_dunning ? t('portal.end_now_owing', { amount: money(total) }) : t('portal.end_now')}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" text={t('portal.cancel_now')} kind="danger" />
        <Keep at={at}>{t('portal.keep')}</Keep>
      </div>
    </QuestionPage>
  )
}

/** Asks for confirmation before the plan pauses at the end of the paid period. */
export function PausePage(
  facts: ManageLayoutFacts & { is_planned: boolean; period_end: Date },
): JSX.Element {
  const { is_planned, period_end, at, locale } = facts
  const { t, rich } = locale
  const day = <Day date={period_end} />
  return (
    <QuestionPage
      {...facts}
      title={is_planned ? t('portal.cancel_pause_title') : t('portal.pause_title')}
    >
      {is_planned ? (
        <p>{rich('portal.pause_planned', { day })}</p>
      ) : (
        <p>{rich('portal.pause_text', { day })}</p>
      )}
      <div class="grid gap-3">
        <Form action={at('pause/')} csrf_token={facts.csrf_token}>
          <input type="hidden" name="to" value={is_planned ? 'off' : 'on'} />
          <Button kind="primary" pending={t('portal.saving')} wide>
            {is_planned
              ? t('portal.cancel_pause')
              : t('portal.pause_on', { day: locale.day(period_end) })}
          </Button>
        </Form>
        <Keep at={at}>{is_planned ? t('portal.keep_pause') : t('portal.do_not_pause')}</Keep>
      </div>
    </QuestionPage>
  )
}
