import type { Import } from '#domain/imports'
import { addDays, isoDate } from '#platform/calendar'
import { checkedImport, paidProducts, runChecked } from './imports.ts'
import { basic } from './purchase.ts'
import type { TestService } from './service.ts'

export const LEMON_HEADING = 'id,product_name,user_email,status,renews_at,key'

let count = 0
/**
 * A file of Lemon Squeezy; each row is a subscription until a number of days from now, or a key.
 */
export function lemonFileOf(
  { clock }: Pick<TestService, 'clock'>,
  rows: { id?: number; email?: string; days?: number; key?: string; status?: string }[],
): string {
  const lines = rows.map(({ id, email, days, key = '', status }) => {
    const end = days === undefined ? '' : isoDate(addDays(clock.now(), days))
    const number = id ?? ++count
    const state = status ?? (days === undefined ? 'inactive' : 'active')
    return [number, 'Tides', email ?? `import-${number}@example.com`, state, end, key].join(',')
  })
  return [LEMON_HEADING, ...lines].join('\n')
}

/** Uploads and checks a file of Lemon Squeezy, with the cast's first paid plan for its products. */
export async function checkFile(service: TestService, file: string): Promise<Import> {
  const [product_id] = await paidProducts(service)
  return await checkedImport(service, { source: 'lemon_squeezy', file, product_id: product_id! })
}

/** Checks a file of Lemon Squeezy and imports it. */
export async function runFile(service: TestService, file: string): Promise<Import> {
  return await runChecked(service, (await checkFile(service, file)).id)
}

/** What `validate` returns for a key; undefined for an unknown one. */
export async function stateOfKey(service: TestService, key: string) {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...basic(service) },
    payload: { key },
  })
  const { status, entitled, period_end, license_id } = answer.json()
  return answer.statusCode === 200 ? { status, entitled, period_end, license_id } : undefined
}
