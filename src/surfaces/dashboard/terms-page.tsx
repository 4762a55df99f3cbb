import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { type Link, SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Panel } from '#design/panels'

const TERMS: { title: string; paragraphs: string[] }[] = [
  {
    title: 'Who sells',
    paragraphs: [
      'Purser is the merchant of record. Buyers buy from Purser; you provide the app. Purser takes the payment, collects the sales tax and pays it to the states, and sends the receipt.',
      'You must be based in the United States. For now, so must your buyers.',
    ],
  },
  {
    title: 'What it costs',
    paragraphs: [
      '5% and $0.50 of each sale that you bring, 10% and $0.50 of each sale that comes from the marketplace, before tax. There is no monthly fee. A renewal keeps the rate of its first sale.',
      'Hosted sign-in, if you turn it on, adds 2% of each sale. Its first 3 months are free.',
      'Who refers a customer to you gets 25% of our fee on each of that customer’s payments. It comes out of our share, not yours.',
    ],
  },
  {
    title: 'When you are paid',
    paragraphs: [
      'A sale waits for 7 days. What has waited is paid out on Mondays, or when you ask, from $25 on. If refunds or disputes have taken more than you have earned since, nothing is paid out until that is made up.',
    ],
  },
  {
    title: 'Refunds and disputes',
    paragraphs: [
      'You may refund a sale for 60 days, in whole or in part, and so may we. The buyer gets the tax back as well. The percentage of our fee goes back in proportion; the $0.50 stays.',
      'A payment that a buyer disputes with the bank is taken from your balance while it is open, with a charge of $15. You get both back if the dispute is won. While it is open, the license is paused.',
    ],
  },
  {
    title: 'Who owns what',
    paragraphs: [
      'Your app, your name, your words and pictures stay yours; you let us show them to sell your app. The accounts and the data inside your app are yours to keep and to protect.',
      'Sign-in, payments and licenses are ours to run. Buyers’ payment details never reach you. Where hosted sign-in is on, your app knows a person by an id that means nothing anywhere else.',
      'Keep the client secret of your app on your server, and what you learn of a license to yourself.',
    ],
  },
  {
    title: 'What may not be sold',
    paragraphs: [
      'Anything that is against the law, or that helps to break it. Anything that deceives, harasses or harms people, spies on them without their knowledge, or sexualizes children. Gambling, weapons, drugs, and money in any form. What belongs to somebody else.',
      'Your listing must be true, your prices the ones that are charged, and the app must do what it says. We may take an app off sale that breaks this, and tell you why.',
    ],
  },
  {
    title: 'Agents, and the end',
    paragraphs: [
      'What an agent does with the rights that you gave it counts as done by you. Every change is on record, and you can undo those of your listing, plans and prices.',
      'You may stop selling at any time. What buyers have paid for, they may use until it ends; what you have earned is paid out.',
    ],
  },
]

/** What sellers agree to, in plain words, and the button that says so. */
export function TermsPage(facts: {
  nav: Link[]
  csrf_token: string
  accepted_at: Date | null
  /** Where to go on to after accepting. */
  return_to: string
}): JSX.Element {
  return (
    <SiteLayout title="Seller terms · Purser" nav={facts.nav}>
      <Heading title="Seller terms">What holds between you and Purser when you sell here.</Heading>
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {facts.accepted_at && (
          <Alert tone="success">
            You accepted these terms on <Day date={facts.accepted_at} />.
          </Alert>
        )}
        {TERMS.map(({ title, paragraphs }) => (
          <section key={title} class="grid gap-2">
            <h2 class="text-lg font-semibold">{title}</h2>
            {paragraphs.map((paragraph) => (
              <p key={paragraph} class="max-w-prose">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
        {facts.accepted_at ? (
          <p>
            <Button href={facts.return_to}>Back to your apps</Button>
          </p>
        ) : (
          <Panel>
            <Form action="/dashboard/terms/" csrf_token={facts.csrf_token}>
              <input type="hidden" name="return_to" value={facts.return_to} />
              <p>Until you accept, nothing is saved, neither on the dashboard nor by an agent.</p>
              <div>
                <Button kind="primary" pending="Noting it…">
                  I accept these terms
                </Button>
              </div>
            </Form>
          </Panel>
        )}
      </div>
    </SiteLayout>
  )
}
