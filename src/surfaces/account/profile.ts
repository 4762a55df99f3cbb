import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import { personalData, recordExport } from '#flows/account'
import { forReports, type World } from '#flows/world'
import { saveFile, startExport } from '#http/exports'
import { csrfToken } from '#http/form-token'
import { requireOwner } from '#http/guards/owner'
import { sendPage } from '#http/pages'
import { declareTask } from '#http/tasks'
import { isoDate } from '#platform/calendar'
import { localeOf } from '#platform/language/request'
import { ProfilePage } from './profile-page.tsx'

/** The profile of an account. */
export const PROFILE = '/account/profile/'
const EXPORT = `${PROFILE}export`
const KIND = 'export_person'

/** The profile, and the export of everything that is stored about a person. */
export function declareProfile(scope: FastifyInstance, world: World): void {
  const { db, clock } = world
  declareTask(world, {
    kind: KIND,
    is_translated: true,
    title: 'task.export_person',
    remains: 'task.no_file',
    back: () => PROFILE,
    needs_proof: true,
    run: (task) =>
      saveFile(
        forReports(world),
        task,
        { name: nameOf(clock.now()), type: JSON_FILE },
        async (write) => {
          const { email_normalized } = await identity.getUser(db, task.user_id)
          const person = { user_id: task.user_id, email_normalized }
          const data = await personalData(forReports(world).db, person)
          await write(`${JSON.stringify({ exported_at: clock.now(), ...data }, null, 2)}\n`)
          return Object.values(data).reduce((count, records) => count + records.length, 0)
        },
      ),
  })

  scope.get(PROFILE, async (request, reply) => {
    const { session } = await requireOwner(world, request, reply, { recent: false, back: PROFILE })
    const user = await identity.getUser(db, session.user_id)
    const page = ProfilePage({
      locale: localeOf(request),
      csrf_token: csrfToken(world, request, reply),
      email: user.email,
      created_at: user.created_at,
      user_id: user.id,
    })
    return sendPage(reply, page)
  })

  // The file has the person's whole history, so another person at an open browser does not get it.
  scope.post(EXPORT, async (request, reply) => {
    const context = await requireOwner(world, request, reply, { recent: true, back: PROFILE })
    await recordExport(world, context.owner)
    const at = clock.now().toISOString()
    return await startExport(world, context, { kind: KIND, app_id: null, request: { at } })
  })
}

const JSON_FILE = 'application/json; charset=utf-8'

function nameOf(now: Date): string {
  return `purser-data-${isoDate(now)}.json`
}
