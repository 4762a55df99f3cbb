import * as payments from '#domain/payments'
import { isoDate, isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readId } from '#platform/ids'
import type { AppList } from './app-list.ts'
import { CUSTOMER_FIELDS, customerFilter, sortOf } from './customer-search.ts'
import { CustomersPage } from './customers-page.tsx'

const COLUMNS: CsvColumn<payments.Customer>[] = [
  { name: 'customer', of: ({ email }) => email },
  { name: 'paid', of: ({ paid }) => paid },
  { name: 'plan', of: ({ product_name }) => product_name },
  { name: 'status', of: ({ status }) => status },
  { name: 'first_purchase', of: ({ first_at }) => isoSeconds(first_at) },
  { name: 'period_end', of: ({ period_end }) => (period_end ? isoDate(period_end) : null) },
  { name: 'auto_renew', of: ({ auto_renew }) => (auto_renew ? 'yes' : 'no') },
  { name: 'license_id', of: ({ license_id }) => license_id },
]

/** The list of an app's customers. */
export const CUSTOMERS: AppList<
  payments.Customer,
  payments.CustomerTotals,
  payments.CustomerFilter,
  (typeof CUSTOMER_FIELDS)[number]
> = {
  name: 'customers',
  export: { kind: 'export_customers', title: 'Exporting customers', columns: COLUMNS },
  fields: CUSTOMER_FIELDS,
  filterOf: customerFilter,
  async read({ db }, { filter, search, after: cursor, limit }) {
    const user_id = readId('usr', cursor?.id)
    const after = cursor && user_id && { first_at: cursor.at, paid: cursor.amount, user_id }
    return await payments.listCustomers(db, { ...filter, sort: sortOf(search), after, limit })
  },
  cursorOf: ({ first_at, paid, user_id }) => ({ at: first_at, amount: paid, id: user_id }),
  totals: ({ db }, filter) => payments.customerTotals(db, filter),
  isCut: ({ user_ids }) => user_ids?.length === payments.MAX_FOUND,
  Page: CustomersPage,
}
