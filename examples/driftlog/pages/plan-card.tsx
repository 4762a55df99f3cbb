import { AccessCard } from '../../shared/pages/access-card.tsx'
import { statusName, whatIsNext } from '../labels.ts'
import type { Entitlement } from '../plans.ts'

type Facts = { entitlement: Entitlement; sub: string; manage: string }

/** The signed-in person, as far as this site knows, and their plan. */
export function PlanCard({ entitlement, sub, manage }: Facts) {
  const rows = [
    { term: 'Plan', detail: entitlement.version || 'None' },
    { term: 'Status', detail: statusName[entitlement.status] },
    { term: 'Next', detail: whatIsNext(entitlement) },
    { term: 'You', detail: <code>…{sub.slice(-6)}</code> },
  ]
  return <AccessCard title="Signed in" rows={rows} manage={manage} />
}
