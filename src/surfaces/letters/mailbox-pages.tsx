import type { JSX } from 'preact'
import { BackLink, TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { DescriptionList, EmptyState, Heading, Panel, RecordCards } from '#design/panels'
import type { Attachment, KeptLetter } from '#platform/mail'

/** Every letter in the development mailbox, the latest first. */
export function MailboxPage({ letters }: { letters: KeptLetter[] }): JSX.Element {
  return (
    <SiteLayout title="Development mailbox · Purser">
      <Heading title="Development mailbox">
        No mail server is set, so letters end here instead of in a real mailbox.
      </Heading>
      {letters.length === 0 ? (
        <EmptyState title="No letters yet">
          A receipt arrives here as soon as something is bought.
        </EmptyState>
      ) : (
        <RecordCards
          records={letters.map((letter) => ({
            key: letter.message_id,
            href: `/dev/mailbox/${encodeURIComponent(letter.message_id)}`,
            title: letter.subject,
            details: [`To ${letter.recipient}`, sentAt(letter)],
          }))}
        />
      )}
    </SiteLayout>
  )
}

function sentAt({ sent_at }: KeptLetter): string {
  return `${sent_at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
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

/** One letter, as its plain text with its links alive, and the papers that came along. */
export function LetterPage({
  letter,
}: {
  letter: KeptLetter & { attachments: Attachment[] }
}): JSX.Element {
  const base = `/dev/mailbox/${encodeURIComponent(letter.message_id)}`
  return (
    <SiteLayout title={`${letter.subject} · Purser`}>
      <BackLink href="/dev/mailbox/">All letters</BackLink>
      <Heading title={letter.subject} />
      <DescriptionList
        items={[
          { term: 'To', detail: letter.recipient },
          { term: 'Sent', detail: sentAt(letter) },
          ...letter.attachments.map(({ filename }) => ({
            term: 'Attached',
            detail: <TextLink href={`${base}/${filename}`}>{filename}</TextLink>,
          })),
        ]}
      />
      <Panel>
        <div class="break-words whitespace-pre-line">{linked(letter.text)}</div>
      </Panel>
    </SiteLayout>
  )
}
