import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Moment } from '#design/money'
import { PageHeader } from '#design/page-header'
import { DescriptionList, EmptyState, Heading, Panel } from '#design/panels'
import { RecordCards } from '#design/records'
import type { Attachment, MailboxEmail } from '#platform/mail'

/** Every email in the development mailbox, newest first. */
export function MailboxPage({ emails }: { emails: MailboxEmail[] }): JSX.Element {
  return (
    <SiteLayout title="Development mailbox · Purser">
      <Heading title="Development mailbox">
        No mail server is configured. Emails are captured here instead of being sent.
      </Heading>
      {emails.length === 0 ? (
        <EmptyState title="No emails yet">Receipts appear here after a purchase.</EmptyState>
      ) : (
        <RecordCards
          records={emails.map((email) => ({
            key: email.message_id,
            href: `/dev/mailbox/${encodeURIComponent(email.message_id)}`,
            title: email.subject,
            details: [`To ${email.recipient}`, <Moment at={email.sent_at} />],
          }))}
        />
      )}
    </SiteLayout>
  )
}

const ADDRESS = /(https?:\/\/\S+)/

function linked(text: string): (string | JSX.Element)[] {
  return text.split(ADDRESS).map((part) =>
    ADDRESS.test(part) ? (
      <TextLink key={part} href={part}>
        {part}
      </TextLink>
    ) : (
      part
    ),
  )
}

/** An email of the development mailbox, with clickable links and its attachments. */
export function EmailPage({
  email,
}: {
  email: MailboxEmail & { attachments: Attachment[] }
}): JSX.Element {
  const base = `/dev/mailbox/${encodeURIComponent(email.message_id)}`
  return (
    <SiteLayout title={`${email.subject} · Purser`}>
      <PageHeader title={email.subject} back={{ label: 'All emails', href: '/dev/mailbox/' }} />
      <DescriptionList
        items={[
          { term: 'To', detail: email.recipient },
          { term: 'Sent', detail: <Moment at={email.sent_at} /> },
          ...email.attachments.map(({ filename }) => ({
            term: 'Attached',
            detail: <TextLink href={`${base}/${filename}`}>{filename}</TextLink>,
          })),
        ]}
      />
      <Panel title="As HTML">
        <iframe
          title="The email as HTML"
          src={`${base}/html`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          class="h-160 w-full rounded-field border border-base-300"
        />
      </Panel>
      <Panel title="As text">
        <div class="break-words whitespace-pre-line">{linked(email.text)}</div>
      </Panel>
    </SiteLayout>
  )
}
