/** The pages of plain words at the foot of every page, by their address. */
export const WORDS: Record<string, { title: string; paragraphs: string[] }> = {
  '/terms/': {
    title: 'Terms of sale',
    paragraphs: [
      'You buy from Purser. Purser is the merchant of record: it charges your card, collects the sales tax that your state asks for and pays it to the state. The maker of the app provides the app itself.',
      'The price, the tax and the total are shown before you pay, and exactly that total is charged. A plan that renews says so, with the amount and the day, and you can turn auto-renew off at any time; you keep what you paid for until the end of the period.',
      'Your license starts the moment the payment clears. It is for you; do not share its key. A key that got into the wrong hands can be replaced.',
      'For now, purchases are available to buyers in the United States only.',
    ],
  },
  '/privacy/': {
    title: 'Privacy',
    paragraphs: [
      'We keep your email address, the country and ZIP code that your tax depends on, what you bought and when, and which card paid, by its brand and last four digits. Your card number goes to the payment processor and never reaches us.',
      'If your bank asks us about a charge you dispute, we tell it what we know: when the receipt was sent, when your key was shown or checked, and from which network, never a whole address.',
      'The maker of an app learns that you may use the app, and under which plan. We sell your data to nobody, and no advertising company is told what you do here.',
      'Cookies: one that recognizes this browser in a checkout, one that keeps you signed in, and, if a link brought you here, one that remembers who referred you for 60 days.',
    ],
  },
  '/refunds/': {
    title: 'Refunds',
    paragraphs: [
      'Something is not right? Ask the maker of the app first; they can refund a purchase for 60 days. Or ask us.',
      'A refund goes back to the card that paid, with the tax that belongs to it. A full refund of the latest payment ends the license at once.',
      'A charge you do not recognize may be a renewal: your receipts name the app. If it was not you, use the link in the receipt that says so, and we lock the account and look into it.',
    ],
  },
  '/help/': {
    title: 'Help',
    paragraphs: [
      'Lost your license key? Sign in; your purchases show it at any time. It also stands in your receipt.',
      'No receipt? The page after the purchase and the page of the purchase can send it again. Look into the spam folder as well.',
      'No password yet? The sign-in page emails you a link that lets you in without one.',
      'Anything else: answer to any of our letters, and a person reads it.',
    ],
  },
}
