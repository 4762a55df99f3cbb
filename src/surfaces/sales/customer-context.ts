import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { type AppSalesContext, SIDES } from '#http/guards/seller-or-staff'
import { paramsOf, requireId } from '#http/input'
import { refuse } from '#http/refusals'

/** The path of a customer's pages. */
export const CUSTOMER_PATH = `${SIDES.seller}/customers/:license_id`

/** The license in the path, if it is one of this app's buyers. */
export async function licenseOf(
  { db }: World,
  { request, app }: AppSalesContext,
): Promise<payments.CustomerLicense> {
  const license_id = requireId('lic', paramsOf('/:license_id', request).license_id)
  const license = await payments.findCustomerLicense(db, { app_id: app.id, license_id })
  if (!license) throw refuse('not_found')
  return license
}
