import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { CopyField } from '#design/copy'
import { Badge } from '#design/feedback'
import { Field, SelectField } from '#design/forms'
import { type PriceFrequency, priceText } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import { addressOf } from '#http/app-menu'
import { faultAt } from '#http/form-errors'
import type { PriceId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { BuiltLink, BuyLinkForm } from './buy-link.ts'

/** The buy links of an app, and the form that adds parameters to one. */
export interface BuyLinkPanelFacts {
  base: string
  slug: string
  is_published: boolean
  external_sales_enabled: boolean
  is_suspended: boolean
  is_on_sale: boolean
  links: {
    id: PriceId
    plan: string
    amount: Cents
    frequency: PriceFrequency
    url: string
  }[]
  built: BuiltLink
}

/** Ready buy links, and a form for one with a return URL, email, affiliate or discount. */
export function BuyLinkPanel(facts: BuyLinkPanelFacts): JSX.Element {
  const yes = (is: boolean) => (is ? <Badge tone="good">Yes</Badge> : <Badge tone="warn">No</Badge>)
  return (
    <Panel id="buy-links" title="Buy links">
      <DescriptionList
        items={[
          { term: 'Published', detail: yes(facts.is_published) },
          { term: 'External sales enabled', detail: yes(facts.external_sales_enabled) },
        ]}
      />
      <p class="text-sm text-muted">
        <Opening {...facts} />
      </p>
      {facts.links.map(({ id, plan, amount, frequency, url }) => (
        <CopyField
          key={id}
          id={`link-${id}`}
          label={`${plan}, ${priceText(amount, frequency)}`}
          value={url}
        />
      ))}
      {facts.links.length > 0 && <Builder {...facts} />}
    </Panel>
  )
}

/** Whether Buy links are open, and what closes them. */
function Opening(facts: BuyLinkPanelFacts): JSX.Element {
  if (facts.is_on_sale) return <>Buy links are open.</>
  if (facts.is_suspended) return <>Buy links return 404 while the app is suspended.</>
  const overview = <TextLink href={addressOf(facts.slug, 'overview')}>Overview</TextLink>
  return <>Buy links return 404 until both are enabled. {overview} shows what is left to do.</>
}

function Builder({ base, links, built }: BuyLinkPanelFacts): JSX.Element {
  const { form, url, faults } = built
  const field = (name: keyof BuyLinkForm) => ({
    name,
    id: `link-${name}`,
    value: form[name],
    error: faultAt(faults, `link-${name}`),
  })
  return (
    <section class="grid grid-cols-1 gap-4" aria-labelledby="build-a-link">
      <h3 id="build-a-link" class="text-sm font-medium">
        Build a link
      </h3>
      <form method="get" action={`${base}#built-link`} class="grid grid-cols-1 gap-4">
        <SelectField
          {...field('price')}
          label="Price"
          options={links.map(({ id, plan, amount, frequency }) => ({
            value: id,
            label: `${plan}, ${priceText(amount, frequency)}`,
          }))}
        />
        <Field
          {...field('next')}
          label="Return URL"
          spellcheck={false}
          optional
          hint="Where the buyer returns. Your Login URL by default."
        />
        <Field
          {...field('email')}
          label="Buyer’s email"
          optional
          hint="Prefilled on the first page of checkout."
        />
        <div class="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field {...field('discount')} label="Discount code" spellcheck={false} optional />
          <Field {...field('ref')} label="Affiliate code" spellcheck={false} optional />
        </div>
        <Actions>
          <Button>Build link</Button>
        </Actions>
      </form>
      {url && (
        <div id="built-link" class="grid grid-cols-1 gap-4">
          <CopyField id="built-url" label="Your link" value={url} />
          <Actions>
            <Button href={url}>Open</Button>
          </Actions>
        </div>
      )}
    </section>
  )
}
