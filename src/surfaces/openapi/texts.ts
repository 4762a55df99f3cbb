import type { Endpoint } from '#http/endpoint'

/** The introduction of the document, in Markdown. */
export const INTRODUCTION = `
Purser sells web apps as the merchant of record: hosted checkout, tax, refunds and payouts. With
this API, an app shows its live prices and verifies what a buyer has bought.

A license exists as soon as a purchase is paid. There are no webhooks: the first request after the
buyer returns has the final answer. Validate on your own schedule, and cache results until
\`period_end\` at most.

## Authentication

The public endpoints need no authentication and can be called from any web page. The license
endpoints are for your server only: authenticate with the client ID and the client secret of your
app. Apps with hosted sign-in call the entitlement endpoint with the access token of the buyer.

## Requests and responses

Requests and responses are JSON in UTF-8. Dates are written \`2027-02-28\` and are in UTC. Paths
work with and without a trailing slash, and HEAD works like GET. Every response has an
\`X-Request-Id\`.

## Errors

Every error has the shape of \`Problem\`. Handle errors by the code in \`error\`, show or log
\`message\`, and include \`request_id\` when you contact support. Each endpoint lists its codes.
Unknown paths return 404 \`not_found\`. Methods that are not listed return 405
\`method_not_allowed\` with \`Allow\`.

## Rate limits

Each endpoint lists its limit. \`RateLimit-Policy\` and \`RateLimit\` show the limit and the
remaining requests on every response. Requests over the limit return 429. Retry after the seconds
in \`Retry-After\`.

## Versioning

The version is in the path. \`/api/v1/\` only adds: new endpoints, optional request fields,
response fields and error codes may appear at any time. Clients must ignore fields that they do not
know. Breaking changes are announced twelve months ahead, with the headers \`Deprecation\` and
\`Sunset\` on the affected responses, and here.
`.trim()

/** The description of each group of endpoints, in the order of the document. */
export const TAGS: Record<string, string> = {
  Public: "An app's profile and live prices, for pricing pages. No authentication.",
  Licenses: 'What a buyer may use now. For your server.',
  'Test mode': 'Scenarios and events of your app in test mode. Live mode does not have these.',
  'Hosted sign-in': 'What a signed-in buyer may use. Requires their access token.',
}

/** The authentication methods, by the name that endpoints use. */
export const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'HTTP Basic: the client ID of your app as the user name, its client secret as the ' +
      'password. The client ID is on the Integration page of your app. You create the secret ' +
      'there, and it is shown once. Keep it on your server. Never include it in a page or a ' +
      'program that you distribute.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The access token that your server received when the buyer signed in with OpenID ' +
      'Connect and the scope `entitlements`. All endpoints are listed in ' +
      '`/o/.well-known/openid-configuration`.',
  },
} satisfies Record<Exclude<Endpoint['auth'], 'none'>, object>
