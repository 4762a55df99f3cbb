import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout, type Link } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import type { Locale } from '#platform/language/locale'
import type { Cents } from '#platform/money'

/** Asks for the email of the account before it is deleted, or says what must be resolved first. */
export function DeletionPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  /** What must be resolved first, each with the page for it. */
  blocks: { text: string; link?: Link }[]
  /** What is paid out on request although it is below the minimum. */
  payable: Cents
  /** The names of the apps whose licenses end. */
  ending: string[]
  is_affiliate: boolean
  fault: string | undefined
}): JSX.Element {
  const { blocks, payable, ending, is_affiliate, fault, locale } = facts
  const { t, money, list } = locale
  const title = t('account.delete_title')
  return (
    <FocusLayout
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={fault !== undefined}
    >
      <Heading title={title}>
        {t(blocks.length > 0 ? 'account.delete_blocked' : 'account.delete_final')}
      </Heading>
      {blocks.length > 0 ? (
        <Alert tone="info" title={t('account.delete_first')}>
          <ul class="grid list-disc gap-1 ps-5">
            {blocks.map((block, index) => (
              <li key={index}>
                {block.text}{' '}
                {block.link && <TextLink href={block.link.href}>{block.link.label}</TextLink>}
              </li>
            ))}
          </ul>
        </Alert>
      ) : (
        <>
          <ul class="grid list-disc gap-2 ps-5 text-sm">
            {ending.length > 0 && <li>{t('account.delete_access', { apps: list(ending) })}</li>}
            {is_affiliate && <li>{t('account.delete_commission')}</li>}
            <li>{t('account.delete_signed_out')}</li>
            <li>{t('account.delete_email_removed')}</li>
            <li>{t('account.delete_last_email')}</li>
          </ul>
          <Form action="/account/profile/delete" csrf_token={facts.csrf_token}>
            <Field
              label={t('account.email')}
              name="email"
              type="email"
              autocomplete="off"
              error={fault}
              hint={t('account.delete_hint', { email: facts.email })}
            />
            <Button kind="danger" pending={t('account.deleting')} wide>
              {t('account.delete')}
            </Button>
          </Form>
        </>
      )}
      {payable > 0 && (
        <Form action="/account/profile/delete/payout" csrf_token={facts.csrf_token}>
          <p class="text-sm">{t('account.delete_payout_text')}</p>
          <Button kind="primary" pending={t('account.delete_paying')} wide>
            {t('account.delete_pay_out', { amount: money(payable) })}
          </Button>
        </Form>
      )}
      <BackLink href="/account/profile/">{t('menu.profile')}</BackLink>
    </FocusLayout>
  )
}

/** The account is deleted. */
export function DeletedPage({ email, locale }: { email: string; locale: Locale }): JSX.Element {
  const { t, rich } = locale
  const title = t('account.deleted_title')
  return (
    <FocusLayout locale={locale} title={t('account.page_title', { title })}>
      <Heading title={title} done>
        {rich('account.deleted_text', { email: <Mailbox address={email} /> })}
      </Heading>
      <Button href="/" wide>
        {t('account.home')}
      </Button>
    </FocusLayout>
  )
}
