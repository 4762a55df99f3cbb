import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Day, priceText } from '#design/money'
import type { Locale } from '#platform/language/locale'
import type { ContinueFacts } from './manage-facts.ts'

/** Continues an imported license: the day of the first charge, and a button for each price. */
export function ContinueWithCard({
  paid_until,
  options,
  locale,
}: ContinueFacts & { locale: Locale }): JSX.Element {
  const { t, rich } = locale
  const [only, ...others] = options
  const price = ({ amount, frequency }: ContinueFacts['options'][number]) =>
    priceText(amount, frequency, locale)
  const day = <Day date={paid_until} />
  return (
    <div class="grid gap-4">
      <p class="text-sm">
        {others.length === 0
          ? rich('portal.continue_text', { day, price: price(only!) })
          : rich('portal.continue_choose', { day })}
      </p>
      <Actions>
        {options.map((option, index) => (
          <Button key={option.href} kind={index === 0 ? 'primary' : 'plain'} href={option.href}>
            {others.length === 0
              ? t('portal.continue')
              : t('portal.continue_at', { price: price(option) })}
          </Button>
        ))}
      </Actions>
    </div>
  )
}
