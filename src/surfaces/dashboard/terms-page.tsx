import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { Day } from '#design/money'
import { Panel } from '#design/panels'
import { RichText } from '#design/reading'
import { isAllowed } from '#domain/sellers'
import { versionOf } from '#http/legal-texts'
import type { TextDocument } from '#platform/documents'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

/** The seller terms, with the button to accept them. */
export function TermsPage(
  facts: SellerReader & {
    /** The legal name of the seller who accepts. */
    legal_name: string
    text: TextDocument
    csrf_token: string
    /** The version that was last accepted. */
    accepted: { version: string; at: Date } | undefined
    /** The page to open after accepting. */
    return_to: string
  },
): JSX.Element {
  const { accepted } = facts
  const isAccepted = accepted?.version === facts.text.version
  return (
    <SellerMenuPage
      {...facts}
      current="terms"
      title={facts.text.title}
      intro={versionOf(facts.text)}
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {accepted && isAccepted && (
          <Alert tone="success">
            You accepted these terms on <Day date={accepted.at} />.
          </Alert>
        )}
        {accepted && !isAccepted && (
          <Alert tone="info" title="The terms have changed">
            You accepted version {accepted.version} on <Day date={accepted.at} />. Read and accept
            this version to continue.
          </Alert>
        )}
        <RichText clean_html={facts.text.clean_html} />
        {isAccepted ? (
          <p>
            <Button href={facts.return_to}>Back to your apps</Button>
          </p>
        ) : !isAllowed(facts.role, 'account') ? (
          <p>The owner or an admin must accept these terms before changes can be saved.</p>
        ) : (
          <Panel>
            <Form action="/dashboard/terms/" csrf_token={facts.csrf_token}>
              <input type="hidden" name="return_to" value={facts.return_to} />
              <p>
                You accept for {facts.legal_name}. Its members and their agents cannot save changes
                until then.
              </p>
              <div>
                <Button kind="primary" pending="Saving…">
                  I accept these terms
                </Button>
              </div>
            </Form>
          </Panel>
        )}
      </div>
    </SellerMenuPage>
  )
}
