import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form } from '#design/forms'
import { Day, formatDay, formatMoney } from '#design/money'
import type { Cents } from '#platform/money'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

interface AutoRenewFacts extends ManageLayoutFacts {
  is_on: boolean
  /** True while a payment is due. */
  is_owing: boolean
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
      <Button kind={facts.kind ?? 'primary'} pending="Saving…" wide>
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
  const { plan, period_end, is_trial, may_pause, at } = facts
  return (
    <QuestionPage {...facts} title="Cancel subscription">
      <p>
        You keep {plan} until <Day date={period_end} />,{' '}
        {is_trial ? 'the end of your trial' : 'the end of the period you paid for'}. Then your
        license ends, its key stops working and nothing more is charged.
      </p>
      <p class="text-sm text-muted">
        We email you a confirmation. You can resume until that day.
        {may_pause && (
          <>
            {' '}
            Taking a break? <TextLink href={at('pause/')}>Pause instead</TextLink>.
          </>
        )}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" text="Cancel subscription" kind="danger" />
        <Keep at={at}>Keep my subscription</Keep>
      </div>
    </QuestionPage>
  )
}

function TurnOn(facts: AutoRenewFacts): JSX.Element {
  const { plan, period_end, total, is_about, at } = facts
  return (
    <QuestionPage {...facts} title="Keep your subscription">
      <p>
        This turns auto-renew on. {plan} renews on {formatDay(period_end)}, when{' '}
        {is_about && 'about '}
        {formatMoney(total)} is charged, tax included. Nothing is charged today, and your key stays
        the same.
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="on" text="Keep my subscription" />
        <Keep at={at}>Let it end</Keep>
      </div>
    </QuestionPage>
  )
}

function EndNow(facts: AutoRenewFacts): JSX.Element {
  const { plan, total, at, is_owing } = facts
  return (
    <QuestionPage {...facts} title={`Cancel ${plan}`}>
      <p>
        {is_owing
          ? `The license ends now, and its key stops working. The ${formatMoney(total)} is no longer due.`
          : 'The license ends now and cannot be resumed. Its key stops working. Nothing is charged.'}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" text="Cancel now" kind="danger" />
        <Keep at={at}>Keep my subscription</Keep>
      </div>
    </QuestionPage>
  )
}

/** Asks for confirmation before the plan pauses at the end of the paid period. */
export function PausePage(
  facts: ManageLayoutFacts & { is_planned: boolean; period_end: Date },
): JSX.Element {
  const { is_planned, period_end, at } = facts
  const day = <Day date={period_end} />
  return (
    <QuestionPage {...facts} title={is_planned ? 'Cancel the pause' : 'Pause your plan'}>
      {is_planned ? (
        <p>
          Your plan is scheduled to pause on {day}. If you cancel the pause, it renews that day.
        </p>
      ) : (
        <p>
          You keep your plan until {day}. Then access is suspended and nothing is charged until you
          resume. Resuming starts a new period, charged that day. Your key stays the same.
        </p>
      )}
      <div class="grid gap-3">
        <Form action={at('pause/')} csrf_token={facts.csrf_token}>
          <input type="hidden" name="to" value={is_planned ? 'off' : 'on'} />
          <Button kind="primary" pending="Saving…" wide>
            {is_planned ? 'Cancel pause' : `Pause on ${formatDay(period_end)}`}
          </Button>
        </Form>
        <Keep at={at}>{is_planned ? 'Keep pause' : 'Do not pause'}</Keep>
      </div>
    </QuestionPage>
  )
}
