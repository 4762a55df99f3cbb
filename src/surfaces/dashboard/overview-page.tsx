import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { Panel } from '#design/panels'
import type { FiguresFacts } from './figures.ts'
import { Figures } from './figures-panels.tsx'
import { type AppFacts, AppPage } from './layout.tsx'
import type { AppSetup, SetupStep } from './setup.ts'

type AppOverview = AppFacts & {
  setup: AppSetup
  figures: FiguresFacts
  is_archived: boolean
  product_url: string | undefined
  /** Whether the member may edit the app. */
  can_edit: boolean
}

/** An app at a glance: its figures, and what its setup still needs. */
export function OverviewPage(facts: AppOverview): JSX.Element {
  const { steps } = facts.setup
  const isComplete = steps.every(({ is_done }) => is_done)
  return (
    <AppPage {...facts} current="overview" intro={introOf(facts, isComplete)}>
      {facts.is_archived && (
        <Alert tone="warning" title="Archived">
          This app is not listed and not for sale. Its licenses stay valid. Restore it in Settings.
        </Alert>
      )}
      {!isComplete && (
        <Panel title="Set up your app" aside={<Badge>{progressOf(facts)}</Badge>}>
          <Steps {...facts} />
        </Panel>
      )}
      <Figures {...facts.figures} />
      {isComplete && (
        <Panel>
          <details>
            <summary class="flex min-h-11 flex-wrap items-center justify-between gap-3">
              <span class="textlink">Setup complete</span>
              <Badge tone="good">{progressOf(facts)}</Badge>
            </summary>
            <Steps {...facts} />
          </details>
        </Panel>
      )}
    </AppPage>
  )
}

function progressOf({ setup: { steps } }: AppOverview): string {
  return `${steps.filter(({ is_done }) => is_done).length} of ${steps.length}`
}

function Steps(facts: AppOverview): JSX.Element {
  return (
    <ol class="divide-y divide-base-300 border-y border-base-300">
      {facts.setup.steps.map((step) => (
        <Step key={step.name} facts={facts} step={step} />
      ))}
    </ol>
  )
}

function introOf({ product_url }: AppOverview, isComplete: boolean): JSX.Element | string {
  if (product_url) return <TextLink href={product_url}>View the product page</TextLink>
  return isComplete ? 'Revenue, licenses and checkouts.' : 'What is left to do before you can sell.'
}

function Step({ facts, step }: { facts: AppOverview; step: SetupStep }): JSX.Element {
  const { is_done } = step
  return (
    <li class="flex items-start gap-x-4 py-4 sm:items-center">
      <span class={`max-sm:mt-0.5 ${is_done ? 'text-success' : 'text-muted'}`}>
        <Icon name={is_done ? 'check' : 'arrow-right'} />
      </span>
      <div class="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-3">
        <div class="grid min-w-0 flex-1 basis-52 gap-0.5">
          <h3 class="font-semibold">
            {step.title}
            <span class="sr-only">{is_done ? ', done' : ', to do'}</span>
          </h3>
          <p class="text-sm text-muted">{step.text}</p>
          {step.name === 'approval' && facts.setup.approval === 'refused' && (
            <p class="text-sm">Reason: {facts.setup.refusal}</p>
          )}
        </div>
        <StepAction facts={facts} step={step} />
      </div>
    </li>
  )
}

/** The step to take now, whose button is the main one; a requested approval is with staff. */
function nextOf({ steps, approval }: AppSetup): SetupStep | undefined {
  return steps.find(({ name, is_done }) => {
    return !is_done && !(name === 'approval' && approval === 'requested')
  })
}

function StepAction({ facts, step }: { facts: AppOverview; step: SetupStep }) {
  const { csrf_token, slug, setup, can_edit, is_archived } = facts
  const kind = step === nextOf(setup) ? 'primary' : 'plain'
  if (step.link) {
    return (
      <Button kind={kind} href={step.link.href}>
        {step.link.label}
      </Button>
    )
  }
  if (!can_edit || is_archived || step.is_done) return null
  const base = `/dashboard/apps/${slug}/`
  if (step.name === 'publish') {
    return (
      <Form action={`${base}publish`} csrf_token={csrf_token}>
        <Actions>
          <Button kind={kind} pending="Publishing…">
            Publish
          </Button>
        </Actions>
      </Form>
    )
  }
  if (setup.approval === 'requested') return <Badge>Waiting</Badge>
  return (
    <Form action={`${base}approval`} csrf_token={csrf_token}>
      <Actions>
        <Button kind={kind} pending="Requesting…">
          Request approval
        </Button>
      </Actions>
    </Form>
  )
}
