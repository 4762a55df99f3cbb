import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import { callTool } from '#surfaces/mcp/call'
import type { Tool } from '#surfaces/mcp/tool'
import { tools } from '#surfaces/mcp/tools'
import { newApp, transferToOtherSeller } from '../support/app-transfer.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { idOf } from '../support/team.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => assertInvariantsAndClose(service))

/** Changes an app's tagline as an agent, while something happens after the call was checked. */
async function callDuring(
  user_id: UserId,
  app_slug: string,
  happen: () => Promise<unknown>,
): Promise<{ error: string; message: string }> {
  const expires_at = new Date(service.clock.now().getTime() + 3_600_000)
  const { AGENT_CLIENT: client_id, AGENT_SCOPES: scopes } = grants
  const bearer = { user_id, client_id, scopes: [...scopes], expires_at }
  const update = tools.find(({ name }) => name === 'update_app_listing')!
  let happened: Promise<unknown> | undefined
  const tool: Tool = {
    ...update,
    async run(call) {
      happened ??= happen()
      await happened
      return await update.run(call)
    },
  }
  const args = { app_slug, tagline: 'Late' }
  const caller = { bearer, request_id: 'req_race', agent: 'a test' }
  const { content, isError } = await callTool(service.world, caller, { tool, args })
  assert.equal(isError, true)
  const [part] = content
  assert.ok(part?.type === 'text')
  return JSON.parse(part.text)
}

test('a tool whose app is transferred while it runs answers as for any app of others', async () => {
  const app = await newApp(service)
  const user_id = await idOf(service, service.demo.seller.email)
  const late = await callDuring(user_id, app.slug, () => transferToOtherSeller(service, app))
  assert.equal(late.error, 'unknown_app')
  assert.match(late.message, /^app_slug matches none of your apps\. Call list_apps/)
  assert.notEqual((await apps.get(service.world.db, app.client_id)).tagline, 'Late')
})
