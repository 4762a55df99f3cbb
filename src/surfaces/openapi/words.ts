import type { Endpoint } from '#http/endpoint'

/** What the document says before its endpoints, in Markdown. */
export const INTRODUCTION = `
Purser sells web apps for their makers: hosted checkout, tax, refunds and payouts. With this
interface an app shows its live prices and verifies what a buyer has bought.

A license exists from the moment of the purchase: there are no webhooks, and the first question
after the buyer's return is answered for good. Ask again on your own schedule, and keep an answer
until its \`period_end\` at the latest.

## Who calls

The public endpoints are open to everybody, scripts of any web page included. The license endpoints
are for your server alone: it proves itself with the client id and the client secret of your app.
An app with hosted sign-in asks the entitlement endpoint instead, with the access token of the person.

## Requests and answers

Requests and answers are JSON in UTF-8. Days are written \`2027-02-28\` and mean UTC. A path
answers with and without its slash at the end, and HEAD answers like GET. Every answer carries an
\`X-Request-Id\`.

## Refusals

Every refusal has the shape of \`Problem\`: decide by the code in \`error\`, show or log the
sentence in \`message\`, and quote \`request_id\` when you ask for help. Each endpoint lists its own
codes. Beside them, an address that does not exist answers 404 \`not_found\`, and another method
than the ones listed 405 \`method_not_allowed\`, with \`Allow\`.

## Limits

Each endpoint names its limit. \`RateLimit-Policy\` and \`RateLimit\` tell on every answer how much
is allowed and how much is left. What is over the limit answers 429; wait for the seconds that
\`Retry-After\` names.

## Versions

The version is in the path, and \`/api/v1/\` only ever grows: a new endpoint, an optional field of a
request, a new field of an answer or a new code may come at any time. This description is exact for
its own version, so let no client of yours refuse what it does not list. Whatever would break a
working client is announced twelve months ahead: by the headers \`Deprecation\` and \`Sunset\` on
the answers that it concerns, and here.
`.trim()

/** What each group of endpoints is for; the document lists the groups in this order. */
export const TAGS: Record<string, string> = {
  Public: "An app's profile and its live prices, for anybody; made for pricing pages.",
  Licenses: 'What a buyer may use right now, asked by the server of the app.',
  'Hosted sign-in': 'What a person who signed in with us may use, asked with their access token.',
}

/** How each kind of caller proves itself, by the name that the endpoints use. */
export const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'HTTP Basic: the client id of your app as the user name, its client secret as the ' +
      'password. Both come from the Integration page of your app. The secret is for your server ' +
      'alone: no page and no program that you hand out may carry it.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The access token that your server got when the person signed in: by OpenID Connect, with ' +
      'the scope `entitlements`. Every address of that stands in ' +
      '`/o/.well-known/openid-configuration`.',
  },
} satisfies Record<Exclude<Endpoint['auth'], 'none'>, object>
