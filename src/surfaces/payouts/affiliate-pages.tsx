import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button, CopyField, TextLink } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { type Link, SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { EmptyState, Heading, Panel, RecordTable } from '#design/panels'
import { BankPanel, DoneNote, PayoutsPanel, type StandingFacts, StandingPanel } from './panels.tsx'

/** The terms in plain words, and the code to be chosen. */
export function JoinPage(facts: {
  nav: Link[]
  action: string
  csrf_token: string
  minimum: number
  hold_days: number
  code: string
  fault: string | undefined
}): JSX.Element {
  const { fault, hold_days, minimum } = facts
  return (
    <SiteLayout title={`${fault ? 'Error: ' : ''}Earn with referrals · Purser`} nav={facts.nav}>
      <Heading title="Earn with referrals">
        Send people to apps that are sold here, and earn a quarter of Purser’s fee.
      </Heading>
      <ErrorSummary errors={fault ? [{ id: 'code', message: fault }] : []} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <Panel title="What is agreed">
          <ul class="grid list-disc gap-2 ps-5 text-sm">
            <li>
              You get 25 % of Purser’s fee on every payment of a customer you sent, renewals too.
            </li>
            <li>
              A customer is yours who follows your link and buys within 60 days, unless another
              affiliate’s link came after.
            </li>
            <li>It costs neither buyer nor seller anything: it comes out of Purser’s fee.</li>
            <li>
              A commission is held for {hold_days} days, and taken back with a refund or dispute.
            </li>
            <li>You earn nothing on what you buy yourself, or on apps that you sell.</li>
            <li>
              Payouts go to a US bank account, on Mondays or when you ask, from{' '}
              {formatMoney(minimum)}.
            </li>
            <li>You never learn who bought.</li>
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
              hint="4 to 32 of the characters a to z, 0 to 9 and the hyphen. It stands in your links and stays."
            />
            <p class="text-sm text-muted">By going on you agree to what stands on this page.</p>
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

/** A commission, or one that was taken back. */
export interface ReferralLine {
  key: string
  at: Date
  words: string
  /** The fee that the commission is a quarter of. */
  fee: number | null
  amount: number
  /** Until when it waits. */
  held_until: Date | undefined
  /** The payout that it is a line of. */
  payout:
    | { href: string; number: number; status: 'open' | 'pending' | 'paid' | 'failed' }
    | undefined
}

/** What an affiliate earned, line by line, and what became of it. */
export function ReferralsPage(
  facts: StandingFacts & {
    nav: Link[]
    done: string | undefined
    code: string
    link: string
    home: string
    lines: ReferralLine[]
    page: number
    last: number
  },
): JSX.Element {
  return (
    <SiteLayout title="Referrals · Purser" nav={facts.nav} notice={facts.notice}>
      <Heading title="Referrals">What the customers you sent bring you.</Heading>
      <DoneNote done={facts.done} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        <div class="grid grid-cols-1 gap-5">
          <StandingPanel {...facts} earned="A commission" />
          <BankPanel {...facts} />
        </div>
        <Panel title="Your link">
          <CopyField id="link" label="Link to Purser" value={facts.link} />
          <CopyField id="code" label="For any other link" value={`ref=${facts.code}`} />
          <p class="text-sm text-muted">
            Add it to a Buy link or to a product page of Purser, after a “?”. Who follows it and
            buys within 60 days is your customer.
          </p>
        </Panel>
      </div>
      <Lines {...facts} />
      <PayoutsPanel {...facts} />
    </SiteLayout>
  )
}

function Lines(facts: {
  lines: ReferralLine[]
  home: string
  page: number
  last: number
}): JSX.Element {
  return (
    <section class="grid grid-cols-1 gap-4">
      <h2 class="text-lg font-semibold">Every commission</h2>
      {facts.lines.length === 0 ? (
        <EmptyState title="No commission yet">
          Each payment of a customer you sent shows up here, with what became of it.
        </EmptyState>
      ) : (
        <RecordTable
          caption="Commissions"
          columns={[
            { label: 'Day' },
            { label: 'What' },
            { label: 'Fee', numeric: true },
            { label: 'Commission', numeric: true },
            { label: 'State' },
          ]}
          rows={facts.lines.map((line) => ({
            key: line.key,
            cells: [
              <Day date={line.at} />,
              line.words,
              line.fee === null ? '' : <Money cents={line.fee} />,
              <Money cents={line.amount} />,
              stateOf(line),
            ],
          }))}
        />
      )}
      {facts.last > 1 && (
        <nav aria-label="Pages of commissions">
          <Actions>
            {facts.page > 1 && (
              <Button href={`${facts.home}?page=${facts.page - 1}`}>Later ones</Button>
            )}
            <span class="text-sm text-muted">
              Page {facts.page} of {facts.last}
            </span>
            {facts.page < facts.last && (
              <Button href={`${facts.home}?page=${facts.page + 1}`}>Earlier ones</Button>
            )}
          </Actions>
        </nav>
      )}
    </section>
  )
}

const WITH = {
  open: 'On its way with',
  pending: 'On its way with',
  paid: 'Paid with',
  failed: 'Came back with',
} as const

function stateOf({ amount, held_until, payout }: ReferralLine): ComponentChildren {
  const isTaken = amount < 0
  if (payout) {
    return (
      <>
        {isTaken ? 'Taken back with' : WITH[payout.status]}{' '}
        <TextLink href={payout.href}>payout {payout.number}</TextLink>
      </>
    )
  }
  if (isTaken) return 'Taken back'
  if (!held_until) return 'Available'
  return (
    <>
      Held until <Day date={held_until} />
    </>
  )
}
