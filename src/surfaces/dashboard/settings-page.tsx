import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Field, Form, HiddenFields } from '#design/forms'
import { Panel } from '#design/panels'
import type { AppDetails } from '#domain/apps'
import { enteredFields, type FormFault } from '#http/form-errors'
import { AppFields } from './app-fields.tsx'
import { type AppFacts, AppPage } from './layout.tsx'
import { OPENED } from './opened-form.ts'

type SettingsFacts = AppFacts & {
  form: AppDetails
  /** What was saved when the form was first opened. */
  opened: AppDetails
  faults: FormFault[]
  is_published: boolean
  is_archived: boolean
  /** In test mode: the origin of live mode, where the app itself is edited. */
  live_url: string | undefined
  /** Whether the reader may transfer the app. */
  can_transfer: boolean
}

/** Name, website, publishing and archiving of an app. */
export function SettingsPage(facts: SettingsFacts): JSX.Element {
  return (
    <AppPage {...facts} current="settings" intro="Name, website, and whether the app is published.">
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        {facts.live_url ? <InLiveMode {...facts} /> : <Details {...facts} />}
        <div class="grid grid-cols-1 gap-5">
          <Publishing {...facts} />
          {!facts.live_url && <Archiving {...facts} />}
          {facts.can_transfer && <Transferring {...facts} />}
        </div>
      </div>
    </AppPage>
  )
}

function InLiveMode({ live_url, slug }: SettingsFacts): JSX.Element {
  return (
    <Alert tone="info" title="Name, website and archiving are in live mode">
      Test mode copies them each time you enter.{' '}
      <TextLink href={`${live_url}/dashboard/apps/${slug}/settings/`}>
        Open the settings in live mode
      </TextLink>
    </Alert>
  )
}

function Details(facts: SettingsFacts): JSX.Element {
  const { form, faults, slug, csrf_token, is_published } = facts
  const { name, url, slug: opened_slug } = facts.opened
  const field = enteredFields(form, faults)
  return (
    <Panel title="Details">
      <Form action={`/dashboard/apps/${slug}/settings/`} csrf_token={csrf_token}>
        <HiddenFields values={{ name, url, slug: opened_slug }} prefix={OPENED} />
        <AppFields
          form={form}
          faults={faults}
          website_hint="If you move to another domain, URLs on the old one are removed from Integration."
        />
        <Field
          label="Address on Purser"
          {...field('slug')}
          hint={
            is_published
              ? `Your product page is at /apps/${slug}/. A published app keeps this address.`
              : 'The last part of your product page’s URL. You can change it until you publish.'
          }
          disabled={is_published}
          autocomplete="off"
          spellcheck={false}
          maxlength={63}
        />
        <Actions>
          <Button kind="primary" pending="Saving…">
            Save
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Publishing({ slug, csrf_token, is_published, is_archived }: SettingsFacts) {
  const badge = is_published ? <Badge tone="good">Published</Badge> : <Badge>Not published</Badge>
  const base = `/dashboard/apps/${slug}/`
  return (
    <Panel title="Publishing" aside={badge}>
      <p class="text-sm text-muted">
        {is_published
          ? 'Unpublishing takes the app out of the marketplace and closes its Buy links. Licenses stay valid, and subscriptions renew.'
          : 'Publishing shows the app in the marketplace, and opens its Buy links once it is approved.'}
      </p>
      {!is_archived && (
        <Form action={`${base}${is_published ? 'unpublish' : 'publish'}`} csrf_token={csrf_token}>
          <Actions>
            <Button kind={is_published ? undefined : 'primary'} pending="One moment…">
              {is_published ? 'Unpublish' : 'Publish'}
            </Button>
          </Actions>
        </Form>
      )}
    </Panel>
  )
}

function Transferring({ slug, app_name }: SettingsFacts): JSX.Element {
  return (
    <Panel title="Transfer">
      <p class="text-sm text-muted">
        Another seller takes over {app_name}, with its customers and subscriptions. Your past sales
        stay in your balance.
      </p>
      <Actions>
        <Button href={`/dashboard/apps/${slug}/transfer/`}>Transfer app</Button>
      </Actions>
    </Panel>
  )
}

function Archiving({ slug, csrf_token, is_archived }: SettingsFacts): JSX.Element {
  return (
    <Panel title={is_archived ? 'Archived' : 'Archive'}>
      <p class="text-sm text-muted">
        {is_archived
          ? 'The app is not listed and not for sale. Restoring it does not publish it.'
          : 'Archiving takes the app off sale and out of your list. Licenses stay valid, and subscriptions renew. You can restore it at any time.'}
      </p>
      <Form
        action={`/dashboard/apps/${slug}/${is_archived ? 'restore' : 'archive'}`}
        csrf_token={csrf_token}
      >
        <Actions>
          <Button pending="One moment…">{is_archived ? 'Restore app' : 'Archive app'}</Button>
        </Actions>
      </Form>
    </Panel>
  )
}
