import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, Money, type PriceFrequency } from '#design/money'
import { PageNav } from '#design/navigation'
import { Heading, Panel, RecordRows } from '#design/panels'
import type { ReceiptLine } from '#domain/billing'
import type { PausedFor } from '#domain/licensing'
import type { Paging } from '#http/pagination'
import { type ManageLayoutFacts, type Note, NoteAlert } from './layout.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { SignOutForm } from './purchases-page.tsx'
import { CardPanel, KeyPanel } from './side-panels.tsx'
import { StatusNote } from './status-note.tsx'

/** What is charged next, in cents. */
export interface NextFigures {
  amount: number
  tax: number
  total: number
  state: string
  /** True where a tax service will say the exact tax at that time. */
  is_about: boolean
}

/** Where a plan that renews stands. */
export interface Renewing {
  auto_renew: boolean
  pause_at_end: boolean
  period_end: Date
  /** When a payment that is owed is tried again; null where only another card helps. */
  retry_at: Date | null
  /** When the license ends where that is never paid. */
  gives_up_at: Date | undefined
  /** Why the last try failed, in a sentence. */
  declined: string | undefined
  /** The plan that it moves to at the period's end. */
  pending: { product_name: string; amount: number; frequency: PriceFrequency } | undefined
}

/** All that the manage page tells. */
export interface ManageFacts extends ManageLayoutFacts {
  note: Note | undefined
  status: string
  paused_for: PausedFor | null
  product_name: string
  amount: number
  frequency: PriceFrequency
  canceled_at: Date | null
  /** Undefined for what is paid once, and for what has ended. */
  renewing: Renewing | undefined
  next: NextFigures | undefined
  may_change_plan: boolean
  may_pause: boolean
  may_rotate: boolean
  license_key: string | undefined
  card: { name: string; expiry: string } | undefined
  receipts: ReceiptLine[]
  /** Which page of them this is. */
  paging: Paging
  /** Where the first receipt, with the key in it, can be sent once more. */
  may_resend: boolean
  /** Where it is bought again; undefined where it is not sold any longer. */
  buy_url: string | undefined
  back_url: string
}

/** What a person holds of one app, and all that can be done about it. */
export function ManagePage(facts: ManageFacts): JSX.Element {
  const fault = facts.note?.tone === 'error' ? 'Error: ' : ''
  return (
    <SiteLayout
      title={`${fault}${facts.app_name} · Your purchase`}
      nav={facts.nav}
      notice={facts.notice}
    >
      <div class="flex flex-wrap items-end justify-between gap-4">
        <Heading title={facts.app_name}>Your plan, your key, your card and your receipts.</Heading>
        <Button href={facts.back_url} icon="arrow-left">
          Back to your app
        </Button>
      </div>
      <NoteAlert note={facts.note} />
      <StatusNote {...facts} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        <PlanPanel {...facts} />
        <div class="grid grid-cols-1 gap-5 lg:row-span-2">
          <KeyPanel {...facts} />
          <CardPanel {...facts} />
        </div>
        <Receipts {...facts} />
      </div>
      <SignOutForm csrf_token={facts.csrf_token} />
    </SiteLayout>
  )
}

const KINDS: Record<ReceiptLine['kind'], string> = {
  purchase: 'Purchase',
  renewal: 'Renewal',
  upgrade: 'Plan change',
}

function Receipts(facts: ManageFacts): JSX.Element {
  const { receipts, at } = facts
  return (
    <Panel title="Receipts">
      {receipts.length === 0 ? (
        <p class="text-sm text-muted">No receipts yet.</p>
      ) : (
        <RecordRows
          records={receipts.map(({ id, kind, product_name, total, given_back, paid_at }) => ({
            key: id,
            title: `${product_name}, ${KINDS[kind].toLocaleLowerCase('en-US')}`,
            details: [<Day date={paid_at} />, <Money cents={total} />],
            aside: given_back > 0 && (
              <Badge tone="warn">
                {given_back === total ? 'Refunded' : <Refunded cents={given_back} />}
              </Badge>
            ),
            action: (
              <Button href={at(`invoices/${id}.pdf`)} describedby={`record-${id}`}>
                Receipt (PDF)
              </Button>
            ),
          }))}
        />
      )}
      <PageNav
        label="Pages of receipts"
        {...facts.paging}
        href={(page) => at('', { page: String(page) })}
      />
      {facts.may_resend && (
        <Form action={at('receipt')} csrf_token={facts.csrf_token}>
          <div>
            <Button icon="mail" pending="Sending…">
              Resend receipt email
            </Button>
          </div>
        </Form>
      )}
    </Panel>
  )
}

function Refunded({ cents }: { cents: number }): JSX.Element {
  return (
    <>
      <Money cents={cents} /> refunded
    </>
  )
}
