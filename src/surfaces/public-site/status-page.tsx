import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Moment } from '#design/money'
import { Heading, Panel } from '#design/panels'
import { siteNav } from '#http/site-menu'

/** Whether a part of the service works. */
export interface PartStatus {
  part: 'service' | 'database' | 'payments' | 'emails'
  works: boolean
}

const TEXTS: Record<PartStatus['part'], { name: string; works: string; fails: string }> = {
  service: {
    name: 'Website and API',
    works: 'Pages and requests are answered.',
    fails: 'Pages and requests fail.',
  },
  database: {
    name: 'Database',
    works: 'Purchases and changes are saved.',
    fails: 'Nothing can be saved at the moment. No card is charged. Try again in a few minutes.',
  },
  payments: {
    name: 'Payments',
    works: 'Payments are confirmed within seconds.',
    fails: 'Some payments are waiting for confirmation. None is charged twice.',
  },
  emails: {
    name: 'Emails',
    works: 'Emails are sent within minutes.',
    fails: 'Some emails are delayed. They are sent automatically.',
  },
}

/** The status page: each part of the service in plain words. */
export function StatusPage(facts: {
  base_url: string
  parts: PartStatus[]
  at: Date
}): JSX.Element {
  const { parts } = facts
  const failing = parts.filter(({ works }) => !works).map(({ part }) => TEXTS[part].name)
  return (
    <SiteLayout
      title="Status · Purser"
      description="Whether checkout, payments and emails work at the moment."
      canonical_url={`${facts.base_url}/status/`}
      listed
      site_nav={siteNav()}
    >
      <Heading title="Status">
        Checked on <Moment at={facts.at} />.
      </Heading>
      {failing.length === 0 ? (
        <Alert tone="success">All systems are operational.</Alert>
      ) : (
        <Alert tone="error" title="Some systems are degraded">
          Affected: {failing.join(', ')}.
        </Alert>
      )}
      <Panel>
        <ul class="grid divide-y divide-base-300">
          {parts.map(({ part, works }) => (
            <li key={part} class="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3">
              <div class="grid gap-0.5">
                <h2 class="font-semibold">{TEXTS[part].name}</h2>
                <p class="text-sm text-muted">{works ? TEXTS[part].works : TEXTS[part].fails}</p>
              </div>
              <Badge tone={works ? 'good' : 'warn'}>{works ? 'Operational' : 'Degraded'}</Badge>
            </li>
          ))}
        </ul>
      </Panel>
      <p class="text-sm text-muted">
        Monitoring tools can check <TextLink href="/healthz">/healthz</TextLink> and{' '}
        <TextLink href="/readyz">/readyz</TextLink>.
      </p>
    </SiteLayout>
  )
}
