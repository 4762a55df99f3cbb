import type { Frequency } from '#platform/calendar'
import { type Cents, cents } from '#platform/money'

/** The people and the apps that the demo and the tests share. */
export const CAST = {
  seller: {
    email: 'marina@tidepool.example',
    legal_name: 'Tidepool Works LLC',
    address: '12 Harbor Street',
    city: 'Newport',
    zip: '97365',
  },
  buyer: { email: 'robin@example.com' },
  affiliate: { email: 'cleo@example.net', code: 'coast-walks' },
  operator: { email: 'otis@purser.example' },
} as const

/** A plan of the cast's app. */
export interface CastPlan {
  name: string
  description: string
  is_free: boolean
  /** Whether its product page recommends it. */
  is_highlighted?: boolean
  prices: readonly { frequency: Frequency | null; amount: Cents }[]
}

/** The plans of the cast's app, in the order in which they are shown. */
export const PLANS: readonly CastPlan[] = [
  {
    name: 'Free',
    description: 'Today’s tides for one beach.',
    is_free: true,
    prices: [],
  },
  {
    name: 'Pro',
    description: 'Every beach, thirty days ahead, and a log of what you found.',
    is_free: false,
    is_highlighted: true,
    prices: [
      { frequency: 'month', amount: cents(1200) },
      { frequency: 'year', amount: cents(9600) },
    ],
  },
  {
    name: 'Lifetime',
    description: 'Everything in Pro, paid once.',
    is_free: false,
    prices: [{ frequency: null, amount: cents(18_000) }],
  },
]

/** The facts of an app of the cast; `oauth_login_url` is where its site really runs. */
export type CastApp = Record<'slug' | 'name' | 'tagline' | 'description' | 'url', string>

/** The cast's app, which checks license keys. */
export const APP: CastApp = {
  slug: 'tidepool',
  name: 'Tidepool',
  tagline: 'Tide tables and a log for people who walk the coast',
  description:
    'Tidepool shows you when the water is low enough to walk out, and keeps what you found there.\n\n' +
    'Pick a beach, see the next low tides with the light and the swell, and write down the stars, ' +
    'anemones and crabs you met. Your log stays yours and can be exported at any time.',
  url: 'https://tidepool.example',
}

/** The cast's second app, whose visitors sign in through the service. */
export const SIGN_IN_APP: CastApp = {
  slug: 'driftlog',
  name: 'Driftlog',
  tagline: 'Low water for beachcombers, on every device you sign in on',
  description:
    'Driftlog knows when the sea leaves the beach to you.\n\n' +
    'Today is free for everyone. With a plan you see the week ahead and the best hours to walk, ' +
    'wherever you sign in.',
  url: 'https://driftlog.example',
}

export const SIGN_IN_PLANS: readonly CastPlan[] = [
  { name: 'Free', description: 'Today’s tide.', is_free: true, prices: [] },
  {
    name: 'Pro',
    description: 'The week ahead, and the best hours to walk.',
    is_free: false,
    prices: [
      { frequency: 'month', amount: cents(800) },
      { frequency: 'year', amount: cents(6400) },
    ],
  },
]

/** The product page of an app of the cast; features name the plans that include them. */
export interface CastListing {
  categories: readonly string[]
  industries: readonly string[]
  tags: readonly string[]
  sections: readonly { title: string; body: string }[]
  features: readonly { name: string; description: string; plans: readonly string[] }[]
}

export const LISTING: CastListing = {
  categories: ['Outdoors', 'Weather'],
  industries: ['Recreation', 'Education'],
  tags: ['tides', 'beaches', 'field notes'],
  sections: [
    {
      title: 'Low water, without the arithmetic',
      body:
        '<p>Tidepool turns the tide tables of the whole coast into one answer: <strong>when can I ' +
        'walk out, and when must I be back?</strong></p><ul><li>The next low tides of your beach, ' +
        'thirty days ahead</li><li>Sunrise, sunset and swell beside each of them</li><li>A margin ' +
        'of safety that you set yourself</li></ul>',
    },
    {
      title: 'A log of what you found',
      body:
        '<p>Write down the stars, anemones and crabs you met, with the beach and the hour. Your log ' +
        'is yours: <em>export it as a spreadsheet at any time</em>, and take it with you when you ' +
        'go.</p>',
    },
  ],
  features: [
    {
      name: 'Today’s tides',
      description: 'High and low water at one beach.',
      plans: ['Free', 'Pro', 'Lifetime'],
    },
    {
      name: 'Thirty days ahead',
      description: 'Every beach of the coast, with light and swell.',
      plans: ['Pro', 'Lifetime'],
    },
    {
      name: 'Field log',
      description: 'What you found, where and when; with export.',
      plans: ['Pro', 'Lifetime'],
    },
  ],
}

export const SIGN_IN_LISTING: CastListing = {
  categories: ['Outdoors'],
  industries: ['Recreation'],
  tags: ['tides', 'beachcombing'],
  sections: [
    {
      title: 'The best hours to walk',
      body:
        '<p>Driftlog looks at tide, wind and daylight and marks the hours in which the beach is wide ' +
        'and the walking good. Sign in on any device and your week is there.</p>',
    },
  ],
  features: [
    { name: 'Today’s tide', description: 'Free for everyone.', plans: ['Free', 'Pro'] },
    {
      name: 'The week ahead',
      description: 'Seven days, with the best hours to walk.',
      plans: ['Pro'],
    },
  ],
}
