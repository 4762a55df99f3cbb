import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form } from '#design/forms'
import { Day, formatDay, formatMoney } from '#design/money'
import { type ManageFrame, QuestionPage } from './frame.tsx'

interface AutoRenewFacts extends ManageFrame {
  is_on: boolean
  /** True while a payment is owed. */
  is_owing: boolean
  /** True where turning it off ends the license at once. */
  ends_now: boolean
  is_trial: boolean
  plan: string
  period_end: Date
  total: number
  is_about: boolean
  may_pause: boolean
}

/** Asks whether auto-renew shall change, and says what that means. */
export function AutoRenewPage(facts: AutoRenewFacts): JSX.Element {
  if (facts.ends_now) return <EndNow {...facts} />
  return facts.is_on ? <TurnOff {...facts} /> : <TurnOn {...facts} />
}

function Switch(facts: AutoRenewFacts & { to: 'on' | 'off'; words: string; kind?: 'danger' }) {
  return (
    <Form action={facts.at('auto-renew/')} csrf_token={facts.csrf_token}>
      <input type="hidden" name="to" value={facts.to} />
      {facts.ends_now && <input type="hidden" name="ends_now" value="yes" />}
      <Button kind={facts.kind ?? 'primary'} pending="Saving…" wide>
        {facts.words}
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
    <QuestionPage {...facts} title="Turn auto-renew off">
      <p>
        You keep {plan} until <Day date={period_end} />,{' '}
        {is_trial ? 'the end of your trial' : 'which is paid for'}. That day the license ends and
        its key stops working. Nothing more is charged.
      </p>
      <p class="text-sm text-muted">
        You can turn it on again at any time before that day.
        {may_pause && (
          <>
            {' '}
            Only away for a while? <TextLink href={at('pause/')}>Pause instead</TextLink>.
          </>
        )}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" words="Turn auto-renew off" />
        <Keep at={at}>Leave it on</Keep>
      </div>
    </QuestionPage>
  )
}

function TurnOn(facts: AutoRenewFacts): JSX.Element {
  const { plan, period_end, total, is_about, at } = facts
  return (
    <QuestionPage {...facts} title="Turn auto-renew on">
      <p>
        {plan} goes on after {formatDay(period_end)}: that day {is_about && 'about '}
        {formatMoney(total)} is charged, tax included. Nothing is charged today, and the key stays
        the same.
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="on" words="Turn auto-renew on" />
        <Keep at={at}>Leave it off</Keep>
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
          ? `The ${formatMoney(total)} that are owed are dropped. In return the license ends now, and its key stops working for good.`
          : 'The pause becomes an end: the license cannot be resumed any more, and its key stops working for good. Nothing is charged.'}
      </p>
      <div class="grid gap-3">
        <Switch {...facts} to="off" words="End the license now" kind="danger" />
        <Keep at={at}>Keep it</Keep>
      </div>
    </QuestionPage>
  )
}

/** Asks whether the plan shall pause at the end of what is paid, and says what that means. */
export function PausePage(
  facts: ManageFrame & { is_planned: boolean; period_end: Date },
): JSX.Element {
  const { is_planned, period_end, at } = facts
  const day = <Day date={period_end} />
  return (
    <QuestionPage {...facts} title={is_planned ? 'Do not pause' : 'Pause your plan'}>
      {is_planned ? (
        <p>Your plan is to pause on {day}. Without the pause it renews that day.</p>
      ) : (
        <p>
          Everything stays until {day}. From then on the key rests and nothing is charged, for as
          long as you like. Resuming starts a new period, which is charged that day, with the same
          key.
        </p>
      )}
      <div class="grid gap-3">
        <Form action={at('pause/')} csrf_token={facts.csrf_token}>
          <input type="hidden" name="to" value={is_planned ? 'off' : 'on'} />
          <Button kind="primary" pending="Saving…" wide>
            {is_planned ? 'Renew as before' : `Pause on ${formatDay(period_end)}`}
          </Button>
        </Form>
        <Keep at={at}>{is_planned ? 'Pause as planned' : 'Do not pause'}</Keep>
      </div>
    </QuestionPage>
  )
}
