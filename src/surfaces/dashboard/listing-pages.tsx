import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field, Form, HiddenFields, TextareaField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'
import { RecordCards } from '#design/records'
import { RadioFields } from '#design/rows'
import { LIMITS } from '#domain/listing'
import { addressOf } from '#http/app-menu'
import { enteredFields, type FormFault } from '#http/form-errors'
import { counted } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'
import type { ListingForm } from './listing-form.ts'
import { OPENED } from './opened-form.ts'

/** The form of a listing, with links to its sections and features. */
export function ListingPage(
  facts: AppFacts & {
    form: ListingForm
    /** What was saved when the form was first opened. */
    opened: ListingForm
    faults: FormFault[]
    external_sales_enabled: boolean
    /** Undefined while the app has no product page. */
    product_url: string | undefined
    has_icon: boolean
    screenshots: number
    sections: number
    features: number
  },
): JSX.Element {
  const { form, faults, slug } = facts
  const field = enteredFields(form, faults)
  const base = addressOf(slug, 'listing')
  return (
    <AppPage {...facts} current="listing" intro="How your app appears in the marketplace.">
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <Panel title="Text">
          <Form action={base} csrf_token={facts.csrf_token}>
            <HiddenFields values={facts.opened} prefix={OPENED} />
            <Field
              label="Tagline"
              {...field('tagline')}
              optional
              hint={`One line below the name, at most ${counted(LIMITS.tagline.most, 'character')}.`}
            />
            <TextareaField
              label="Description"
              {...field('description')}
              optional
              rows={7}
              hint={`Plain text, at most ${counted(LIMITS.description.most, 'character')}. A blank line starts a paragraph.`}
            />
            <Field {...field('categories')} label="Categories" optional hint={NAMES_HINT} />
            <Field {...field('industries')} label="Industries" optional hint={NAMES_HINT} />
            <Field {...field('tags')} label="Tags" optional hint={NAMES_HINT} />
            <Mode {...facts} />
            <Actions>
              <Button kind="primary" pending="Saving…">
                Save listing
              </Button>
              {facts.product_url && (
                <Button href={facts.product_url} icon_after="external">
                  View product page
                </Button>
              )}
            </Actions>
          </Form>
        </Panel>
        <RecordCards
          records={[
            {
              key: 'preview',
              href: `/dashboard/apps/${facts.slug}/preview/`,
              title: 'Product page',
              details: ['As buyers see it'],
            },
            {
              key: 'images',
              href: `${base}images/`,
              title: 'Icon and screenshots',
              details: [
                facts.has_icon ? 'Icon' : 'No icon',
                counted(facts.screenshots, 'screenshot'),
              ],
            },
            {
              key: 'sections',
              href: `${base}sections/`,
              title: 'Detail sections',
              details: [`${facts.sections} of at most ${LIMITS.sections} sections`],
            },
            {
              key: 'features',
              href: `${base}features/`,
              title: 'Feature table',
              details: [counted(facts.features, 'feature')],
            },
          ]}
        />
      </div>
    </AppPage>
  )
}

const NAMES_HINT = 'Separate with commas. New names are created.'

function Mode(facts: {
  form: ListingForm
  faults: FormFault[]
  external_sales_enabled: boolean
}): JSX.Element {
  const field = enteredFields(facts.form, facts.faults)
  const is_external = facts.form.listing_mode === 'external'
  return (
    <RadioFields
      legend="Listing mode"
      {...field('listing_mode')}
      options={[
        {
          value: 'marketplace',
          label: 'Marketplace',
          hint:
            is_external && !facts.external_sales_enabled
              ? 'A full product page here. Your app can stay external, but only support can change it back.'
              : 'A full product page here.',
        },
        {
          value: 'external',
          label: 'External',
          hint: facts.external_sales_enabled
            ? 'The marketplace links to your website.'
            : 'The marketplace links to your website. Requires approval for external sales, which this app does not have.',
        },
      ]}
    />
  )
}

/** Asks for confirmation before an app leaves a mode that only staff can restore. */
export function ConfirmListingModePage(facts: {
  app_name: string
  app_icon: string | undefined
  slug: string
  csrf_token: string
  form: ListingForm
  opened: ListingForm
}): JSX.Element {
  const base = addressOf(facts.slug, 'listing')
  return (
    <FocusLayout
      title={`Switch to the marketplace · ${facts.app_name}`}
      app_name={facts.app_name}
      app_icon={facts.app_icon}
    >
      <Heading title="Switch to the marketplace?">
        {facts.app_name} is listed as external without the approval that is now required. After you
        switch, only support can change it back.
      </Heading>
      <Form action={base} csrf_token={facts.csrf_token}>
        <HiddenFields values={facts.form} />
        <HiddenFields values={facts.opened} prefix={OPENED} />
        <Button kind="danger" name="do" value="move" pending="Saving…" wide>
          Save and switch
        </Button>
      </Form>
      <Button href={base} wide>
        Keep it external
      </Button>
    </FocusLayout>
  )
}
