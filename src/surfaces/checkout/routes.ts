import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareBuy } from './buy.ts'
import { declareNotContinued } from './continued.ts'
import { declareDiscount } from './discount.ts'
import { declareSignIn } from './sign-in.ts'
import { orderOfForm } from './step-elsewhere.ts'
import { declareSteps } from './steps.ts'
import { declareSuccess } from './success.ts'

/** Hosted checkout: details, card, confirmation, success (spec: Hosted checkout). */
export function checkout(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    scope.decorate('order_of_form', orderOfForm)
    declareBuy(scope, world)
    declareSignIn(scope, world)
    declareSteps(scope, world)
    declareDiscount(scope, world)
    declareNotContinued(scope, world)
    declareSuccess(scope, world)
  })
}
