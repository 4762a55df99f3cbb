import { describeProcessor } from '../processor/contract.ts'
import { openStripeWorld, outsideOf } from './world.ts'

describeProcessor('Stripe', async () => outsideOf(await openStripeWorld()))
