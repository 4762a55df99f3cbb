const CODE = /^[a-z0-9-]{4,32}$/

// Words that look like the service's own pages, or like an offer from an app.
const RESERVED: readonly string[] = [
  'about',
  'account',
  'admin',
  'affiliate',
  'affiliates',
  'billing',
  'checkout',
  'dashboard',
  'demo',
  'discount',
  'free',
  'help',
  'home',
  'login',
  'none',
  'null',
  'official',
  'operator',
  'payouts',
  'purser',
  'referral',
  'refund',
  'root',
  'security',
  'seller',
  'signin',
  'staff',
  'support',
  'system',
  'test',
  'undefined',
]

/** Whether a text has the shape of a code. */
export function isCode(text: string): boolean {
  return CODE.test(text)
}

/** Why a text cannot be chosen as a code, in a sentence; undefined if it can. */
export function codeFault(code: string): string | undefined {
  if (code === '') return 'Enter a code.'
  if (!isCode(code)) return 'Use 4 to 32 characters: a to z, 0 to 9 and hyphens.'
  if (/^-|-$|--/.test(code)) return 'Hyphens may not come first, last, or twice in a row.'
  if (RESERVED.includes(code)) return 'This code is reserved. Choose another.'
  return undefined
}
