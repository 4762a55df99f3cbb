import type { ComponentChildren, JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, FieldRow } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { OrderSummary, Steps } from '#design/order'
import { DescriptionList, Heading, Mailbox } from '#design/panels'
import { cardName } from '#domain/payments'
import type { Locale } from '#platform/language/locale'
import type { CardEntry } from './card-entries.ts'
import { type CardFaults, EXAMPLE_NUMBER, type RefilledValues } from './card-form.ts'
import type { Challenge } from './charges.ts'

/** The test mode banner of every card page. */
export function TestMode({ locale }: { locale: Locale }): JSX.Element {
  const number = <span class="whitespace-nowrap">{EXAMPLE_NUMBER}</span>
  return <>{locale.rich('sandbox.test_mode', { number })}</>
}

const nameOf = ({ app_name, product_name }: CardEntry) => `${app_name} ${product_name}`

/** The values and errors that a card form shows. */
export type CardFormFacts = { locale: Locale; values: RefilledValues; faults?: CardFaults }

/** The card form; `label` is the text of its button. */
export function CardForm(facts: CardFormFacts & { label?: string }): JSX.Element {
  const { values, faults, locale } = facts
  const { t } = locale
  return (
    <form method="post" novalidate class="grid gap-5">
      <Field
        label={t('sandbox.number')}
        name="number"
        autocomplete="cc-number"
        inputmode="numeric"
        format="card"
        icon="card"
        spellcheck={false}
        hint={faults && t('sandbox.type_again')}
        error={faults?.number}
      />
      <FieldRow>
        <Field
          label={t('sandbox.expiry')}
          name="expiry"
          autocomplete="cc-exp"
          inputmode="numeric"
          format="expiry"
          placeholder={t('sandbox.expiry_format')}
          value={values.expiry}
          error={faults?.expiry}
        />
        <Field
          label={t('sandbox.cvc')}
          name="cvc"
          autocomplete="cc-csc"
          inputmode="numeric"
          format="digits"
          icon="lock"
          maxlength={4}
          spellcheck={false}
          error={faults?.cvc}
        />
      </FieldRow>
      <Field
        label={t('sandbox.zip')}
        name="zip"
        autocomplete="postal-code"
        inputmode="numeric"
        format="zip"
        value={values.zip}
        error={faults?.zip}
      />
      <Button kind="primary" pending={t('sandbox.checking')} wide>
        {facts.label ?? t('sandbox.continue')}
      </Button>
    </form>
  )
}

/** The card page of checkout, its second step. */
export function CardEntryPage(facts: { entry: CardEntry } & CardFormFacts): JSX.Element {
  const { entry, values, faults, locale } = facts
  const { figures } = entry
  const { t, money } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('sandbox.card_page_title', { app: entry.app_name })}
      has_error={faults !== undefined}
      app_name={entry.app_name}
      app_icon={entry.app_icon ?? undefined}
      selling
      notice={<TestMode locale={locale} />}
      summary={figures && <OrderSummary {...figures} product_name={nameOf(entry)} />}
      summary_line={figures && t('checkout.summary_due', { amount: money(figures.total) })}
    >
      <Steps current="card" />
      <Heading title={t('sandbox.card_title')}>{t('sandbox.card_text')}</Heading>
      {entry.note !== null && <Alert tone="info">{entry.note}</Alert>}
      <ErrorSummary errors={errorsOf(faults)} />
      <CardForm values={values} faults={faults} locale={locale} />
      <div class="grid gap-2">
        <p class="text-sm text-muted">
          {locale.rich('sandbox.for_email', {
            email: <Mailbox address={entry.email} />,
            b: (text) => <span class="text-base-content">{text}</span>,
          })}
        </p>
        <BackLink href={entry.back_url}>{t('sandbox.back')}</BackLink>
      </div>
    </FocusLayout>
  )
}

/** The errors of a form, by field. */
export function errorsOf(faults: Partial<Record<string, string>> = {}) {
  return Object.entries(faults).map(([id, message = '']) => ({ id, message }))
}

/** The bank's page for 3-D Secure authentication. */
export function ChallengePage(facts: { challenge: Challenge; locale: Locale }): JSX.Element {
  const { challenge, locale } = facts
  const { t, money } = locale
  const { amount, app_name } = challenge
  const items = [
    { term: t('sandbox.app'), detail: app_name },
    { term: t('sandbox.card'), detail: cardName(challenge, locale) },
    {
      term: t('sandbox.amount'),
      detail: amount === 0 ? t('sandbox.only_check') : money(amount),
    },
  ]
  return (
    <FocusLayout
      locale={locale}
      title={t('sandbox.challenge_page_title', { app: app_name })}
      app_name={app_name}
      selling
      notice={t('sandbox.challenge_notice')}
    >
      <Heading title={t('sandbox.challenge_title')}>{t('sandbox.challenge_text')}</Heading>
      <DescriptionList items={items} />
      <form method="post" class="grid gap-3">
        <Button kind="primary" name="result" value="complete" wide>
          {t('sandbox.complete')}
        </Button>
        <Button name="result" value="fail" wide>
          {t('sandbox.fail')}
        </Button>
      </form>
    </FocusLayout>
  )
}

/** A page with a message, and an optional link. */
export function MessagePage(facts: {
  locale: Locale
  title: string
  children: ComponentChildren
  next?: { label: string; href: string }
}): JSX.Element {
  return (
    <FocusLayout
      locale={facts.locale}
      title={facts.locale.t('redirected.page_title', { title: facts.title })}
    >
      <Heading title={facts.title}>{facts.children}</Heading>
      {facts.next && (
        <Actions>
          <Button kind="primary" href={facts.next.href}>
            {facts.next.label}
          </Button>
        </Actions>
      )}
    </FocusLayout>
  )
}
