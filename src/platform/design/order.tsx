import type { ComponentChildren, JSX } from 'preact'
import type { Cents } from '#platform/money'
import { Icon } from './icons.tsx'
import { useLocale } from './locale.tsx'
import { Money, Price, type PriceFrequency } from './money.tsx'

/** One line of an order. */
export type LineItem = { label: string; amount: Cents }

/** The figures of an order. `tax` is null while the address is not known. */
export type OrderFigures = {
  items: LineItem[]
  subtotal: Cents
  tax: Cents | null
  tax_label?: string
  /** A deduction before the total, such as a free trial; its amount is negative. */
  deduction?: LineItem | undefined
  total: Cents
  total_label?: string
  /** What will be charged later and when, in a sentence. */
  renewal?: string
}

/** The figures of an order, with the price of what is bought. */
export type PricedOrder = OrderFigures & { amount: Cents; frequency: PriceFrequency }

type OrderRowFacts = {
  label: ComponentChildren
  amount: ComponentChildren
  look?: string
}

function Row({ label, amount, look = '' }: OrderRowFacts): JSX.Element {
  return (
    <div class={`flex items-baseline justify-between gap-6 ${look}`}>
      <dt class="min-w-0">{label}</dt>
      <dd class="text-end">{amount}</dd>
    </div>
  )
}

/** The lines of an order, its tax and its total, as on a receipt; a single item is its subtotal. */
export function LineItems(facts: OrderFigures): JSX.Element {
  const { t } = useLocale()
  const { tax } = facts
  const items = facts.items.length > 1 ? facts.items : []
  return (
    <div class="grid gap-4 text-sm">
      <dl class="grid gap-3">
        {items.map(({ label, amount }) => (
          <Row key={label} label={label} amount={<Money amount={amount} />} />
        ))}
        <Row
          look={`border-base-300 text-muted ${items.length > 0 ? 'border-t pt-3' : ''}`}
          label={t('order.subtotal')}
          amount={<Money amount={facts.subtotal} />}
        />
        <Row
          look="text-muted"
          label={facts.tax_label ?? t('money.sales_tax')}
          amount={tax === null ? t('order.depends_on_zip') : <Money amount={tax} />}
        />
        {facts.deduction && (
          <Row
            look="text-muted"
            label={facts.deduction.label}
            amount={<Money amount={facts.deduction.amount} />}
          />
        )}
        <Row
          look="border-t border-base-300 pt-3 text-base font-semibold"
          label={facts.total_label ?? t('order.due_today')}
          amount={<Total amount={facts.total} taxed={tax !== null} />}
        />
      </dl>
      {facts.renewal && <p class="text-muted">{facts.renewal}</p>}
    </div>
  )
}

/** A total; it is marked while its tax is still unknown. There is none on nothing. */
export function Total({ amount, taxed }: { amount: Cents; taxed: boolean }): JSX.Element {
  const { t } = useLocale()
  return (
    <span class="whitespace-nowrap">
      <Money amount={amount} />
      {!taxed && amount > 0 && <span class="font-normal text-muted">{t('money.plus_tax')}</span>}
    </span>
  )
}

/** What is being bought and what it costs, for the side of every checkout page. */
export function OrderSummary(facts: PricedOrder & { product_name: string }): JSX.Element {
  return (
    <div class="grid gap-5">
      <div class="grid gap-1 border-b border-base-300 pb-5">
        <h2 class="font-semibold">{facts.product_name}</h2>
        <p>
          <Price amount={facts.amount} frequency={facts.frequency} />
        </p>
      </div>
      <LineItems {...facts} />
    </div>
  )
}

const steps = ['details', 'card', 'confirm', 'done'] as const

/** The buyer's progress: Details, Card, Confirm, Done. */
export function Steps({ current }: { current: (typeof steps)[number] }): JSX.Element {
  const { t } = useLocale()
  const at = steps.indexOf(current)
  return (
    <nav aria-label={t('order.progress')}>
      <ol class="grid grid-cols-4 gap-1.5 text-xs">
        {steps.map((step, index) => {
          const reached = index <= at
          return (
            <li
              key={step}
              aria-current={index === at ? 'step' : undefined}
              class={`grid gap-2 before:h-0.75 before:rounded-full ${
                reached ? 'before:bg-primary' : 'before:bg-base-300'
              } ${index === at ? 'font-semibold' : 'text-muted'}`}
            >
              <span class="inline-flex items-center gap-1">
                {t(`order.step_${step}`)}
                {index < at && (
                  <>
                    <Icon name="check" size="size-3.5" />
                    <span class="sr-only">{t('order.finished')}</span>
                  </>
                )}
              </span>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
