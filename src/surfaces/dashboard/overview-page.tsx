import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { Panel } from '#design/panels'
import { type AppFacts, AppPage } from './layout.tsx'
import type { AppSetup, SetupStep } from './setup.ts'

type AppOverview = AppFacts & {
  setup: AppSetup
  is_archived: boolean
  product_url: string | undefined
  /** Whether the member may edit the app. */
  can_edit: boolean
}

/** An app at a glance: what its set-up still needs. */
export function OverviewPage(facts: AppOverview): JSX.Element {
  const { steps } = facts.setup
  const done = steps.filter(({ is_done }) => is_done).length
  const isComplete = done === steps.length
  return (
    <AppPage {...facts} current="overview" intro={introOf(facts)}>
      {facts.is_archived && (
        <Alert tone="warning" title="Archived">
          This app is not listed and not for sale. Its licenses stay valid. Restore it in Settings.
        </Alert>
      )}
      <Panel
        title={isComplete ? 'Set-up complete' : 'Set up your app'}
        aside={<Badge tone={isComplete ? 'good' : 'neutral'}>{`${done} of ${steps.length}`}</Badge>}
      >
        <ol class="divide-y divide-base-300 border-y border-base-300">
          {steps.map((step) => (
            <Step key={step.name} facts={facts} step={step} />
          ))}
        </ol>
      </Panel>
    </AppPage>
  )
}

function introOf({ product_url }: AppOverview): JSX.Element | string {
  if (!product_url) return 'What is left before your first sale.'
  return <TextLink href={product_url}>View the product page</TextLink>
}

function Step({ facts, step }: { facts: AppOverview; step: SetupStep }): JSX.Element {
  const { is_done } = step
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-3 py-4">
      <span class={is_done ? 'text-success' : 'text-muted'}>
        <Icon name={is_done ? 'check' : 'arrow-right'} />
      </span>
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
    </li>
  )
}

function StepAction({ facts, step }: { facts: AppOverview; step: SetupStep }) {
  const { csrf_token, slug, setup, can_edit, is_archived } = facts
  if (step.link) {
    return <Button href={step.link.href}>{step.link.label}</Button>
  }
  if (!can_edit || is_archived || step.is_done) return null
  const base = `/dashboard/apps/${slug}/`
  if (step.name === 'publish') {
    return (
      <Form action={`${base}publish`} csrf_token={csrf_token}>
        <Actions>
          <Button kind="primary" pending="Publishing…">
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
        <Button kind="primary" pending="Requesting…">
          Request approval
        </Button>
      </Actions>
    </Form>
  )
}
