import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import type { OrderId } from '#platform/ids'
import { invoiceAttachment } from './invoice-pdf.ts'
import { link } from './link.ts'
import { receipt } from './receipt-template.ts'
import { soldBy, type WrittenEmail } from './template.ts'

/** Writes the receipt of a purchase with its key; a trial has no invoice to attach yet. */
export async function writePurchaseReceipt(world: World, order_id: OrderId): Promise<WrittenEmail> {
  const { db, keys, config } = world
  const order = (await billing.orderDetails(db, order_id))!
  const user = (await identity.findUser(db, order.user_id))!
  const license = await licensing.findLicense(db, order.license_id)
  const isUnproven = user.email_verified_at === null
  const of = { user_id: user.id }
  const links = {
    verify_email: isUnproven ? await link(world, 'verify_email', of) : undefined,
    set_password: user.password_hash === null ? await link(world, 'set_password', of) : undefined,
    not_me: order.made_account && isUnproven ? await link(world, 'not_me', of) : undefined,
    manage: `${config.base_url}/manage/${order.app_id}/`,
  }
  const sold_by = soldBy(config.operator, order.app_name)
  const license_key = licensing.showKey(keys, license)
  const { license_id, app_id } = order
  const app = (await apps.find(db, app_id))!
  const next = order.discount ? await nextCharge(world, { license_id, app }) : undefined
  const content = receipt(order, { license_key, links, sold_by, next: next?.total })
  const paid = await billing.findReceipt(db, order.invoice_id)
  const attachments = paid ? [await invoiceAttachment(world, paid)] : []
  return { to: user.email, content, attachments }
}
