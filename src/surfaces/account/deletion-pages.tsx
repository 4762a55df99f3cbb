import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout, type Link } from '#design/layout'
import { formatMoney } from '#design/money'
import { Heading, Mailbox } from '#design/panels'
import type { Cents } from '#platform/money'

/** Asks for the email of the account before it is deleted, or says what must be resolved first. */
export function DeletionPage(facts: {
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
  const { blocks, payable, ending, is_affiliate, fault } = facts
  return (
    <FocusLayout title={`${fault ? 'Error: ' : ''}Delete your account · Purser`}>
      <Heading title="Delete your account">
        {blocks.length > 0
          ? 'Your account cannot be deleted yet.'
          : 'This takes effect immediately and cannot be undone.'}
      </Heading>
      {blocks.length > 0 ? (
        <Alert tone="info" title="Resolve this first">
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
            {ending.length > 0 && (
              <li>
                You lose access to {ending.join(', ')}. Nothing is refunded, and the keys stop
                working.
              </li>
            )}
            {is_affiliate && <li>Later payments of customers you referred earn no commission.</li>}
            <li>Every browser, app and agent is signed out. Passkeys and codes are deleted.</li>
            <li>
              Your email is removed. Invoices and payments are kept without it, as tax law requires.
            </li>
            <li>We send one final email to confirm.</li>
          </ul>
          <Form action="/account/profile/delete" csrf_token={facts.csrf_token}>
            <Field
              label="Email"
              name="email"
              type="email"
              autocomplete="off"
              error={fault}
              hint={`Enter ${facts.email} to confirm.`}
            />
            <Button kind="danger" pending="Deleting…" wide>
              Delete account
            </Button>
          </Form>
        </>
      )}
      {payable > 0 && (
        <Form action="/account/profile/delete/payout" csrf_token={facts.csrf_token}>
          <p class="text-sm">Nothing else is left to do, so we pay this out without a minimum.</p>
          <Button kind="primary" pending="Paying…" wide>
            Pay out {formatMoney(payable)}
          </Button>
        </Form>
      )}
      <BackLink href="/account/profile/">Profile</BackLink>
    </FocusLayout>
  )
}

/** The account is deleted. */
export function DeletedPage({ email }: { email: string }): JSX.Element {
  return (
    <FocusLayout title="Account deleted · Purser">
      <Heading title="Account deleted" done>
        Your account was deleted. We sent a final email to <Mailbox address={email} />.
      </Heading>
      <Button href="/" wide>
        Go to the home page
      </Button>
    </FocusLayout>
  )
}
