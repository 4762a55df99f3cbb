import { describeProcessor } from '../processor/contract.ts'
import { openStripeWorld, testModeOf } from './world.ts'

describeProcessor('Stripe', async () => testModeOf(await openStripeWorld()))
