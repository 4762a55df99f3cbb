import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareAppList } from './app-list.ts'
import { declareCustomer } from './customer.ts'
import { declareCustomerActions } from './customer-actions.ts'
import { CUSTOMERS } from './customers.ts'
import { declareDispute } from './dispute.ts'
import { declareGivePlan } from './give-plan.ts'
import { declareInvoice } from './invoice.ts'
import { LICENSES } from './licenses.ts'
import { declareRefund } from './refund.ts'
import { declareSalesList } from './sales-list.ts'
import { SUBSCRIPTIONS } from './subscriptions.ts'

/**
 * An app's invoices, customers, subscriptions and licenses for its seller, and each invoice with
 * its refunds, disputes and ledger entries, for the seller and for staff.
 */
export function sales(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    declareSalesList(scope, world)
    declareAppList(scope, world, CUSTOMERS)
    declareAppList(scope, world, SUBSCRIPTIONS)
    declareAppList(scope, world, LICENSES)
    declareCustomer(scope, world)
    declareCustomerActions(scope, world)
    declareGivePlan(scope, world)
    for (const side of ['seller', 'staff'] as const) {
      declareInvoice(scope, world, side)
      declareRefund(scope, world, side)
      declareDispute(scope, world, side)
    }
  })
}
