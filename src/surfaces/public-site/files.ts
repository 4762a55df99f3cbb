import type { World } from '#flows/world'
import { addDays, isoDate } from '#platform/calendar'

/** Addresses of one person, of forms, and of programs: they are in no index. */
const PRIVATE = [
  '/account/',
  '/admin/',
  '/affiliate/',
  '/api/',
  '/buy/',
  '/checkout/',
  '/dashboard/',
  '/dev/',
  '/licensing/',
  '/link/',
  '/manage/',
  '/mcp',
  '/o/',
  '/sandbox/',
  '/signin/',
  '/signout/',
  '/signup/',
  '/tasks/',
]

/** robots.txt (RFC 9309): what search engines may read. */
export function robotsText({ base_url, live_url }: World['config']): string {
  if (live_url) return 'User-agent: *\nDisallow: /\n'
  const lines = [
    'User-agent: *',
    'Allow: /api/v1/docs/',
    ...PRIVATE.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${base_url}/sitemap.xml`,
  ]
  return `${lines.join('\n')}\n`
}

const SECURITY_DAYS = 180

/** security.txt (RFC 9116): where to report a weakness. It is always valid for half a year. */
export function securityText(now: Date, { base_url, operator }: World['config']): string {
  const lines = [
    `Contact: mailto:${operator.support_email}`,
    `Contact: ${operator.support_url}`,
    `Expires: ${isoDate(addDays(now, SECURITY_DAYS))}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${base_url}/.well-known/security.txt`,
  ]
  return `${lines.join('\n')}\n`
}

/** The web app manifest: the name and icons for a home screen. */
export function webManifest(): object {
  return {
    name: 'Purser',
    short_name: 'Purser',
    start_url: '/',
    display: 'browser',
    background_color: '#fbfaf5',
    theme_color: '#0d4f46',
    icons: [192, 512].map((size) => ({
      src: `/icon-${size}.png`,
      sizes: `${size}x${size}`,
      type: 'image/png',
    })),
  }
}
