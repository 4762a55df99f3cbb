import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareCustomer } from './customer.ts'
import { declareCustomerActions } from './customer-actions.ts'
import { declareCustomers } from './customers.ts'
import { declareDispute } from './dispute.ts'
import { declareList } from './list.ts'
import { declareRefund } from './refund.ts'
import { declareSale } from './sale.ts'

/**
 * An app's invoices for its seller, and each invoice with its refunds, disputes and ledger entries
 * for seller and staff.
 */
export function sales(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    declareList(scope, world)
    declareCustomers(scope, world)
    declareCustomer(scope, world)
    declareCustomerActions(scope, world)
    for (const side of ['seller', 'staff'] as const) {
      declareSale(scope, world, side)
      declareRefund(scope, world, side)
      declareDispute(scope, world, side)
    }
  })
}
