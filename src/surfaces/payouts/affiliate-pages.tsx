import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Wrapped } from '#design/cells'
import { CopyField } from '#design/copy'
import { ErrorSummary } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Heading, Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import type { Payout } from '#domain/payouts'
import { payoutLabel } from '#http/payout-label'
import { ReferredChart, type ReferredChartFacts } from '#http/referred-chart'
import type { Cents } from '#platform/money'
import { LinkPanel, ReferredApps, type ReferredFacts } from './affiliate-apps.tsx'
import { type BalanceFacts, BalancePanel, BankPanel, DoneNote, PayoutsPanel } from './panels.tsx'

/** The affiliate terms, and the form for a code. */
export function JoinPage(facts: {
  action: string
  csrf_token: string
  minimum: Cents
  delay_days: number
  code: string
  fault: string | undefined
}): JSX.Element {
  const { fault, delay_days, minimum } = facts
  return (
    <SiteLayout title="Earn with referrals · Purser" has_error={fault !== undefined}>
      <Heading title="Earn with referrals">
        Refer customers to apps on Purser and earn a quarter of Purser’s fee.
      </Heading>
      <ErrorSummary errors={fault ? [{ id: 'code', message: fault }] : []} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <Panel title="Terms">
          <ul class="grid list-disc gap-2 ps-5 text-sm">
            <li>
              You earn 25% of Purser’s fee on every payment of a customer you refer, including
              renewals.
            </li>
            <li>
              You earn on customers who follow your link and buy within 60 days. The last affiliate
              link counts.
            </li>
            <li>Commissions come from Purser’s fee. Buyers and sellers pay nothing extra.</li>
            <li>
              Commissions become available after {delay_days} days and are reversed on a refund or
              dispute.
            </li>
            <li>Your own purchases and apps that you sell earn no commission.</li>
            <li>
              Payouts go to a US bank account, on Mondays or on request, from {formatMoney(minimum)}
              .
            </li>
            <li>Buyers’ identities are not shared with you.</li>
          </ul>
        </Panel>
        <Panel title="Choose your code">
          <Form action={facts.action} csrf_token={facts.csrf_token}>
            <Field
              label="Code"
              name="code"
              value={facts.code}
              error={fault}
              maxlength={32}
              spellcheck={false}
              autocomplete="off"
              hint="4 to 32 characters: a to z, 0 to 9 and hyphens. Part of your links; cannot be changed."
            />
            <p class="text-sm text-muted">By joining, you agree to the terms above.</p>
            <Actions>
              <Button kind="primary" pending="Joining…">
                Become an affiliate
              </Button>
            </Actions>
          </Form>
        </Panel>
      </div>
    </SiteLayout>
  )
}

/** A commission, or its reversal. */
export interface ReferralLine {
  key: string
  at: Date
  text: string
  /** The fee of which the commission is a quarter. */
  fee: Cents | null
  amount: Cents
  /** When it becomes available. */
  available_at: Date | undefined
  /** The payout that includes it. */
  payout: (Pick<Payout, 'number' | 'status' | 'was_refused'> & { href: string }) | undefined
}

/** An affiliate's earnings, line by line. */
export function ReferralsPage(
  facts: BalanceFacts & {
    done: string | undefined
    code: string
    link: string
    home: string
    lines: ReferralLine[]
    older: string | undefined
    latest: string | undefined
    chart: ReferredChartFacts
    referred: ReferredFacts
    /** All payouts that neither failed nor were returned. */
    paid_total: Cents
  },
): JSX.Element {
  return (
    <SiteLayout title="Referrals · Purser" notice={facts.notice}>
      <Heading title="Referrals">Commissions from customers you refer.</Heading>
      <DoneNote done={facts.done} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        <div class="grid grid-cols-1 gap-5">
          <BalancePanel {...facts} earned="A commission" />
          <Panel title="Paid out">
            <p class="text-2xl font-semibold tracking-tight">
              <Money amount={facts.paid_total} />
            </p>
          </Panel>
          <BankPanel {...facts} />
        </div>
        <div class="grid grid-cols-1 gap-5">
          <Panel title="Your link">
            <CopyField id="home_link" label="Link to Purser" value={facts.link} />
            <CopyField id="code" label="Parameter for other links" value={`ref=${facts.code}`} />
            <p class="text-sm text-muted">
              You earn on customers who follow one of your links and buy within 60 days.
            </p>
          </Panel>
          <LinkPanel {...facts.referred} />
        </div>
      </div>
      {facts.chart.days.length > 0 && (
        <Panel>
          <ReferredChart {...facts.chart} title="Commissions of the last 30 days" />
        </Panel>
      )}
      <ReferredApps {...facts.referred} />
      <Lines {...facts} />
      <PayoutsPanel {...facts} />
    </SiteLayout>
  )
}

function Lines(facts: {
  lines: ReferralLine[]
  older: string | undefined
  latest: string | undefined
}): JSX.Element {
  return (
    <section id="commissions" class="grid grid-cols-1 gap-4">
      <h2 class="text-lg font-semibold">Commissions</h2>
      {facts.lines.length === 0 ? (
        <EmptyState title="No commission yet">
          Payments of customers you refer appear here.
        </EmptyState>
      ) : (
        <RecordTable
          caption="Commissions"
          columns={[
            { label: 'Day' },
            { label: 'Description' },
            { label: 'Fee', numeric: true },
            { label: 'Commission', numeric: true },
            { label: 'Status' },
          ]}
          rows={facts.lines.map((line) => ({
            key: line.key,
            cells: [
              <Day date={line.at} />,
              <Wrapped text={line.text} />,
              line.fee === null ? '' : <Money amount={line.fee} />,
              <Money amount={line.amount} />,
              stateOf(line),
            ],
          }))}
        />
      )}
      <Pager label="Pages of commissions" newest={facts.latest} older={facts.older} />
    </section>
  )
}

function stateOf({ amount, available_at, payout }: ReferralLine): ComponentChildren {
  const isTaken = amount < 0
  if (payout) {
    return (
      <span>
        {isTaken ? 'Reversed' : payoutLabel(payout).label} with{' '}
        <TextLink href={payout.href}>payout {payout.number}</TextLink>
      </span>
    )
  }
  if (isTaken) return 'Reversed'
  if (!available_at) return 'Available'
  return (
    <span>
      Available on <Day date={available_at} />
    </span>
  )
}
