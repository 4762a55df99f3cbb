import { Secret, TOTP } from 'otpauth'
import type { DemoFacts } from '../src/demo/seed.ts'
import type { Service } from '../src/service.ts'
import { Agent } from '../test/support/agent.ts'

/** The browsers in which pages are measured: of a visitor, a seller, an affiliate and staff. */
export interface GrowthBrowsers {
  visitor: Agent
  seller: Agent
  affiliate: Agent
  staff: Agent
}

/** Signs in the cast's people, each in their own browser. */
export async function openBrowsers(service: Service, demo: DemoFacts): Promise<GrowthBrowsers> {
  const visitor = () => new Agent(service.app, service.world.config.base_url)
  const enter = async ({ email, password }: { email: string; password: string }) => {
    const agent = visitor()
    await agent.open('/signin/')
    await agent.submit('Sign in', { email, password })
    return agent
  }
  const staff = await enter(demo.operator)
  const totp = new TOTP({ secret: Secret.fromBase32(demo.operator.totp_secret) })
  await staff.submit('Sign in', { code: totp.generate() })
  return {
    visitor: visitor(),
    seller: await enter(demo.seller),
    affiliate: await enter(demo.affiliate),
    staff,
  }
}
