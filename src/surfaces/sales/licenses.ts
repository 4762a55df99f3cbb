import * as payments from '#domain/payments'
import { daysOf } from '#http/search'
import { isoDate, isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readId } from '#platform/ids'
import { cents } from '#platform/money'
import type { AppList } from './app-list.ts'
import { LicensesPage } from './licenses-page.tsx'
import { LICENSE_FIELDS, licensesFor } from './list-search.ts'

const day = (at: Date | null) => (at ? isoDate(at) : null)

const COLUMNS: CsvColumn<payments.ListedLicense>[] = [
  { name: 'customer', of: ({ email }) => email },
  { name: 'paid', of: ({ paid }) => paid },
  { name: 'plan', of: ({ product_name }) => product_name },
  { name: 'status', of: ({ status }) => status },
  { name: 'origin', of: ({ origin }) => origin },
  { name: 'created', of: ({ created_at }) => isoSeconds(created_at) },
  { name: 'period_end', of: ({ period_end }) => day(period_end) },
  { name: 'canceled_at', of: ({ canceled_at }) => day(canceled_at) },
  { name: 'key_replaced', of: ({ rotated_at }) => day(rotated_at) },
  { name: 'license_id', of: ({ license_id }) => license_id },
]

/** The list of an app's licenses. */
export const LICENSES: AppList<
  payments.ListedLicense,
  payments.LicenseTotals,
  payments.LicenseFilter,
  (typeof LICENSE_FIELDS)[number]
> = {
  name: 'licenses',
  export: { kind: 'export_licenses', title: 'Exporting licenses', columns: COLUMNS },
  fields: LICENSE_FIELDS,
  async filterOf(world, app, search) {
    return {
      app_id: app.id,
      status: payments.CUSTOMER_STATUSES.find((each) => each === search.status),
      product_id: readId('prod', search.plan),
      origin: payments.LICENSE_ORIGINS.find((each) => each === search.origin),
      ...daysOf(search),
      license_ids: await licensesFor(world, app, search.q),
    }
  },
  async read({ db }, { filter, search, after, limit }) {
    const sort = payments.LICENSE_SORTS.find((each) => each === search.sort) ?? 'newest'
    return await payments.listLicenses(db, { ...filter, sort, after, limit })
  },
  cursorOf: ({ created_at, license_id }) => ({ at: created_at, amount: cents(0), id: license_id }),
  totals: ({ db }, filter) => payments.licenseTotals(db, filter),
  isCut: ({ license_ids }) => license_ids?.length === payments.MAX_FOUND,
  Page: LicensesPage,
}
