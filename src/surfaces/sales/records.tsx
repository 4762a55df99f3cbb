import type { ComponentChildren, JSX } from 'preact'
import { Badge } from '#design/feedback'
import type { Link } from '#design/layout'
import { Day, formatMoney } from '#design/money'
import { RecordRows } from '#design/records'
import type { Dispute, Refund } from '#domain/payments'
import { DISPUTE_LABELS, REFUND_LABELS } from './labels.ts'

/** An id in the details of an invoice or a customer. */
export function Id({ children }: { children: ComponentChildren }): JSX.Element {
  return <span class="font-mono text-xs break-all">{children}</span>
}

/** Refunds with amount, status and reason; `linkOf` adds a link to each. */
export function RefundRecords<Each extends Refund>(facts: {
  refunds: Each[]
  linkOf?: (refund: Each) => Link
}): JSX.Element {
  return (
    <RecordRows
      records={facts.refunds.map((refund) => {
        const [label, tone] = REFUND_LABELS[refund.status]
        return {
          key: refund.id,
          title: formatMoney(refund.amount),
          aside: <Badge tone={tone}>{label}</Badge>,
          details: [<Day date={refund.created_at} />, refund.refusal ?? refund.reason],
          link: facts.linkOf?.(refund),
        }
      })}
    />
  )
}

/** Disputes with amount and status, and links to their pages for those who may open them. */
export function DisputeRecords(facts: {
  disputes: Dispute[]
  base: string
  can_open: boolean
}): JSX.Element {
  return (
    <RecordRows
      records={facts.disputes.map((dispute) => {
        const [label, tone] = DISPUTE_LABELS[dispute.status]
        return {
          key: dispute.id,
          title: formatMoney(dispute.amount),
          aside: <Badge tone={tone}>{label}</Badge>,
          details: [<Day date={dispute.opened_at} />],
          link: facts.can_open
            ? { label: 'View', href: `${facts.base}/disputes/${dispute.id}/` }
            : undefined,
        }
      })}
    />
  )
}
