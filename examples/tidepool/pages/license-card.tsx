import type { LicenseState } from '@purser/client'
import { AccessCard } from '../../shared/pages/access-card.tsx'
import { statusName, whatIsNext } from '../labels.ts'

type Facts = { license: LicenseState; plan: string | null; key_tail: string; manage: string }

/** The visitor's license, and links to manage it. */
export function LicenseCard({ license, plan, key_tail, manage }: Facts) {
  const rows = [
    { term: 'Plan', detail: plan ?? license.product_public_id },
    { term: 'Status', detail: statusName[license.status] },
    { term: 'Next', detail: whatIsNext(license) },
    { term: 'Key', detail: <code>…{key_tail}</code> },
  ]
  return <AccessCard title="License verified" rows={rows} manage={manage} />
}
