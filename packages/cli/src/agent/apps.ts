import { CliError, EXIT, wrongUse } from '../exit.ts'
import type { Settings } from '../settings.ts'
import type { CallTool } from './mcp.ts'

/** An app of the signed-in person. */
export interface OwnApp {
  slug: string
  name: string
  client_id: string
}

/** The app that the settings mean: by slug, by client ID, or the only one. Throws CliError. */
export async function findOwnApp(call: CallTool, settings: Settings): Promise<OwnApp> {
  const { apps } = await call<{ apps: OwnApp[] }>('list_apps')
  const { app, client_id } = settings
  if (apps.length === 0) {
    throw new CliError('unknown_app', 'The signed-in person has no apps.', EXIT.refused)
  }
  const named = apps.find((each) => (app ? each.slug === app : each.client_id === client_id))
  if (named) return named
  if (!app && !client_id && apps.length === 1) return apps[0]!
  const slugs = apps.map(({ slug }) => slug).join(', ')
  if (app) throw wrongUse(`You have no app "${app}". Your apps: ${slugs}.`)
  if (client_id) throw wrongUse(`You have no app with this client ID. Your apps: ${slugs}.`)
  throw wrongUse(`Name the app with --app. Your apps: ${slugs}.`)
}
