import type { FieldFault } from '#platform/problem'
import { isBlank, textFault } from '#platform/text'
import type { App } from './apps.ts'
import { isRegistrable } from './return-url.ts'

/** What a seller says about an app: its name, its website, and its address in the marketplace. */
export type AppDetails = Pick<App, 'name' | 'url' | 'slug'>

const NAME = { most: 60 }
const MAX_URL_LENGTH = 2048
const MAX_SLUG_LENGTH = 63
const NO_WEBSITE = `Enter the HTTPS URL of your website, such as https://example.com. \
It needs a domain of your own, without a port, user name or password.`
/** Slugs that are paths of the service. */
const RESERVED = ['new', 'archived']

/** Every fault of an app's details (spec: App profile). */
export function detailsFaults({ name, url, slug }: AppDetails): FieldFault[] {
  const faults: FieldFault[] = []
  const named = isBlank(name) ? 'Enter the name of your app.' : textFault(name, NAME)
  if (named) faults.push({ path: 'name', message: named })
  if (url.length > MAX_URL_LENGTH || !isRegistrable(url)) {
    faults.push({ path: 'url', message: NO_WEBSITE })
  }
  if (!isSlug(slug)) {
    const message = `Use 2 to ${MAX_SLUG_LENGTH} characters: a to z, 0 to 9, and hyphens.`
    faults.push({ path: 'slug', message })
  }
  return faults
}

function isSlug(slug: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,62}$/.test(slug) && !RESERVED.includes(slug)
}

/** The slug of a name; with `number`, one for when that is taken. */
export function slugOf(name: string, number = 1): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const suffix = number > 1 ? `-${number}` : ''
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  const base = words.slice(0, MAX_SLUG_LENGTH - suffix.length).replace(/-$/, '')
  const slug = `${base}${suffix}`
  return isSlug(slug) ? slug : `app-${base || 'new'}${suffix}`.slice(0, MAX_SLUG_LENGTH)
}

/** A website as a seller enters it: `example.com` means `https://example.com/`. */
export function readWebsite(text: string): string {
  const trimmed = text.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`)
  return url ? url.href.replace(/\/$/, '') : trimmed
}
