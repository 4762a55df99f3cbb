import type { JSX } from 'preact'
import { Processing } from '#design/feedback'
import { Mailbox } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** A payment that the processor has not answered yet. */
export function PaymentProcessing(facts: {
  locale: Locale
  /** The page itself. */
  href: string
  /** Where the receipt goes. */
  email: string
  /** Whether the answer takes longer than usual. */
  is_slow: boolean
}): JSX.Element {
  const { t, rich } = facts.locale
  return (
    <Processing title={t('processing.title')} href={facts.href}>
      {rich(facts.is_slow ? 'processing.slow_text' : 'processing.text', {
        email: <Mailbox address={facts.email} />,
      })}
    </Processing>
  )
}
