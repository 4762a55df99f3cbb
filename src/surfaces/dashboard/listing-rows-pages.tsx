import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Comparison, type ComparisonRow } from '#design/comparison'
import { Alert } from '#design/feedback'
import { CheckboxField, Field, Form, HiddenFields, TextareaField } from '#design/forms'
import { EmptyState, Panel } from '#design/panels'
import { Code } from '#design/reading'
import { AddRow, DefaultButton, RowButtons, RowFault, RowGroup } from '#design/rows'
import { LIMITS } from '#domain/listing'
import { addressOf } from '#http/app-menu'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import type { ProductId } from '#platform/ids'
import { counted } from '#platform/text'
import { type AppFacts, AppPage } from './layout.tsx'
import type { FeatureRow, SectionRow } from './listing-form.ts'

/** The plans that a feature may belong to. */
export interface PlanName {
  id: ProductId
  name: string
}

/** The facts of a page whose form replaces a list. */
type RowsFacts<Row> = AppFacts & {
  rows: Row[]
  /** A digest of the list that was saved when the form was opened. */
  opened: string
  /** What a save would change of a list that others saved since the form was opened. */
  conflicts: ComparisonRow[]
  faults: FormFault[]
  focus: string | undefined
}

/** Shows what a save would change of a list that others saved since the form was opened. */
function Conflicts(facts: {
  conflicts: ComparisonRow[]
  title: string
  /** The page with the list as it is saved now. */
  href: string
}): JSX.Element | null {
  if (facts.conflicts.length === 0) return null
  return (
    <>
      <Alert tone="warning" title={facts.title}>
        Changes were saved since you opened this page: by an agent, another member, or in another
        tab. Yours are not saved yet. Save again to replace those, or{' '}
        <TextLink href={facts.href}>discard yours</TextLink>.
      </Alert>
      <Panel title="What a save changes">
        <Comparison differences={facts.conflicts} sides={['Current', 'New']} />
      </Panel>
    </>
  )
}

/** The form of the detail sections. */
export function SectionsPage(
  facts: RowsFacts<SectionRow> & {
    /** The HTML elements that a text may contain. */
    allowed: readonly string[]
  },
): JSX.Element {
  const { rows, faults, slug } = facts
  const page = `${addressOf(slug, 'listing')}sections/`
  return (
    <AppPage
      {...facts}
      current="listing"
      heading="detail sections"
      intro="Up to four sections of the product page, each with a title."
      back={{ label: 'Listing', href: addressOf(slug, 'listing') }}
    >
      <div id="sections" class="grid max-w-3xl grid-cols-1 gap-6">
        <Conflicts {...facts} title="The detail sections have changed" href={page} />
        <Form action={page} csrf_token={facts.csrf_token}>
          <HiddenFields values={{ opened: facts.opened }} />
          <DefaultButton name="do" value="save" />
          <RowFault id="sections" error={faultAt(faults, 'sections')} />
          {rows.length === 0 && (
            <EmptyState title="No sections yet">
              Describe what the app does, how it works and what is new.
            </EmptyState>
          )}
          {rows.map((row, index) => {
            const path = `sections.${index}`
            const field = enteredFields(row, faults, path)
            return (
              <RowGroup
                key={path}
                id={path}
                legend={`Section ${index + 1}`}
                error={faultAt(faults, path)}
                tools={
                  <RowButtons
                    name="do"
                    path={path}
                    what={`section ${index + 1}`}
                    up={index > 0}
                    down={index < rows.length - 1}
                  />
                }
              >
                <Field
                  label="Title"
                  {...field('title')}
                  autofocus={facts.focus === path}
                  hint={`At most ${counted(LIMITS.section_title.most, 'character')}.`}
                />
                <TextareaField
                  label="Text"
                  {...field('body')}
                  rows={8}
                  hint={
                    <>
                      At most {counted(LIMITS.section_body.most, 'character')} of simple HTML:{' '}
                      {facts.allowed.map((tag, at) => [
                        at === 0 ? '' : ' ',
                        <Code key={tag}>{`<${tag}>`}</Code>,
                      ])}
                      . Other HTML is removed. Links must use https.
                    </>
                  }
                />
              </RowGroup>
            )
          })}
          {rows.length < LIMITS.sections && (
            <AddRow name="do" list="sections">
              Add section
            </AddRow>
          )}
          <Actions>
            <Button kind="primary" name="do" value="save" pending="Saving…">
              Save sections
            </Button>
          </Actions>
        </Form>
      </div>
    </AppPage>
  )
}

/** The form of the feature table. */
export function FeaturesPage(facts: RowsFacts<FeatureRow> & { plans: PlanName[] }): JSX.Element {
  const { rows, faults, slug } = facts
  const page = `${addressOf(slug, 'listing')}features/`
  return (
    <AppPage
      {...facts}
      current="listing"
      heading="feature table"
      intro="Features of each plan, compared on the product page."
      back={{ label: 'Listing', href: addressOf(slug, 'listing') }}
    >
      {facts.plans.length === 0 && (
        <Alert tone="info">Add a plan first. Features belong to plans.</Alert>
      )}
      <div id="features" class="grid max-w-3xl grid-cols-1 gap-6">
        <Conflicts {...facts} title="The feature table has changed" href={page} />
        <Form action={page} csrf_token={facts.csrf_token}>
          <HiddenFields values={{ opened: facts.opened }} />
          <DefaultButton name="do" value="save" />
          <RowFault id="features" error={faultAt(faults, 'features')} />
          {rows.length === 0 && (
            <EmptyState title="No features yet">
              Add what buyers compare: number of projects, exports, support.
            </EmptyState>
          )}
          {rows.map((row, index) => (
            <Feature key={index} facts={facts} row={row} index={index} />
          ))}
          {rows.length < LIMITS.features && (
            <AddRow name="do" list="features">
              Add feature
            </AddRow>
          )}
          <Actions>
            <Button kind="primary" name="do" value="save" pending="Saving…">
              Save table
            </Button>
          </Actions>
        </Form>
      </div>
    </AppPage>
  )
}

function Feature(given: {
  facts: Parameters<typeof FeaturesPage>[0]
  row: FeatureRow
  index: number
}): JSX.Element {
  const { facts, row, index } = given
  const path = `features.${index}`
  const field = enteredFields(row, facts.faults, path)
  const inPlans = facts.faults.filter(({ id }) => id.startsWith(`${path}.product_ids`))
  return (
    <RowGroup
      id={path}
      legend={`Feature ${index + 1}`}
      error={faultAt(facts.faults, path) ?? inPlans[0]?.message}
      tools={
        <RowButtons
          name="do"
          path={path}
          what={`feature ${index + 1}`}
          up={index > 0}
          down={index < facts.rows.length - 1}
        />
      }
    >
      <Field
        label="Name"
        {...field('name')}
        autofocus={facts.focus === path}
        hint={`At most ${counted(LIMITS.feature_name.most, 'character')}.`}
      />
      <TextareaField
        label="Description"
        {...field('description')}
        optional
        rows={2}
        hint={`At most ${counted(LIMITS.feature_description.most, 'character')}.`}
      />
      {facts.plans.length > 0 && (
        <fieldset class="grid gap-0.5">
          <legend class="text-sm font-medium">Plans with this feature</legend>
          <div class="flex flex-wrap gap-x-6">
            {facts.plans.map(({ id, name }) => (
              <CheckboxField
                key={id}
                label={name}
                name={`${path}.in.${id}`}
                optional
                checked={row.product_ids.includes(id)}
              />
            ))}
          </div>
        </fieldset>
      )}
    </RowGroup>
  )
}
