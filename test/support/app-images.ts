import assert from 'node:assert/strict'
import * as apps from '#domain/apps'
import { mintId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent, Seen } from './agent.ts'
import { png } from './pictures.ts'
import type { TestService } from './service.ts'

/** The page of the images of the demo's app. */
export const IMAGES_PAGE = '/dashboard/apps/tidepool/listing/images/'

export type AppImages = ReturnType<typeof imagesOf>

/** The images of the demo's app, and what its seller does on their page. */
export function imagesOf({ world, app, demo }: TestService, seller: Agent) {
  const { db, random } = world
  const app_id = demo.app.client_id
  const shown = () => apps.screenshotsOf(db, app_id)
  return {
    app_id,
    /** The screenshots, in order. */
    shown,
    fetchFile: (url: string) => app.inject({ url }),

    /** A member of the app's seller, for changes without the page. */
    async actor() {
      const { user_id } = await db.one<{ user_id: UserId }>(
        sql`select user_id from seller_members limit 1`,
      )
      return { kind: 'seller', user_id, request_id: mintId(random, 'req') } as const
    },

    /** Saves an icon, and returns its path. */
    async addIcon(content?: Buffer): Promise<string> {
      await seller.open(IMAGES_PAGE)
      await seller.upload('Save icon', content ?? (await png(512, 512)))
      assert.match(seller.text, /Icon saved/)
      const { icon_id } = await apps.get(db, app_id)
      return apps.pathOf(icon_id!, 256)
    },

    async addScreenshot(alt: string, content?: Buffer): Promise<Seen> {
      await seller.open(IMAGES_PAGE)
      return await seller.upload('Add screenshot', content ?? (await png(1200, 900)), { alt })
    },

    /** Removes all screenshots. */
    async removeAll(): Promise<void> {
      for (const { id } of await shown()) {
        await seller.open(IMAGES_PAGE)
        assert.equal(seller.form(/^Remove screenshot 1$/).image_id, id)
        await seller.submit(/^Remove screenshot 1$/)
      }
    },
  }
}
