import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Badge, type BadgeTone } from '#design/feedback'
import { Form } from '#design/forms'
import { Moment } from '#design/money'
import { Panel } from '#design/panels'
import type { CheckRun, Finding, IntegrationCheck } from '#domain/apps'
import { counted } from '#platform/text'

/** The last run of an app's integration checks. */
export interface ChecksPanelFacts {
  base: string
  csrf_token: string
  /** Undefined until the checks were run. */
  checks: CheckRun | undefined
}

/** The title of each integration check. */
export const CHECK_TITLES: Record<IntegrationCheck, string> = {
  login_url: 'Login URL',
  sign_in: 'Sign-in request',
  redirect_uris: 'Redirect URIs',
  return_urls: 'Return URLs',
  sign_out: 'Sign-out',
  secret: 'Client secret',
  validation: 'License validation',
  order: 'Order lookup',
  clock: 'Clock',
}

const OUTCOMES: Record<Finding['outcome'], [label: string, tone: BadgeTone]> = {
  passed: ['Passed', 'good'],
  warning: ['Warning', 'warn'],
  error: ['Error', 'bad'],
  skipped: ['Skipped', 'neutral'],
}

/** A button that runs the checks, and what the last run found. */
export function ChecksPanel({ base, csrf_token, checks }: ChecksPanelFacts): JSX.Element {
  return (
    <Panel id="checks" title="Checks" aside={checks && <Badge>{summaryOf(checks)}</Badge>}>
      <p class="text-sm text-muted">
        {checks ? (
          <>
            Last run: <Moment at={checks.checked_at} />
          </>
        ) : (
          'Requests your Login URL, compares your URLs, and looks up a license the way your server does.'
        )}
      </p>
      {checks && (
        <ul class="divide-y divide-base-300 border-y border-base-300">
          {checks.findings.map((finding) => (
            <Row key={finding.check} {...finding} />
          ))}
        </ul>
      )}
      <Form action={`${base}checks`} csrf_token={csrf_token}>
        <Actions>
          <Button pending="Running…">Run checks</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Row({ check, outcome, text, remedy }: Finding): JSX.Element {
  const [label, tone] = OUTCOMES[outcome]
  return (
    <li class="grid gap-1 py-4 text-sm">
      <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 class="font-semibold">{CHECK_TITLES[check]}</h3>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p class="wrap-anywhere">{text}</p>
      {remedy !== '' && <p class="wrap-anywhere text-muted">{remedy}</p>}
    </li>
  )
}

/** The number of findings that need a change. */
function summaryOf({ findings }: CheckRun): string {
  const count = findings.filter(({ remedy }) => remedy !== '').length
  if (count === 0) return 'No issues'
  return counted(count, 'issue')
}
