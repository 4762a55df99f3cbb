import { z } from 'zod'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { type Endpoint, endpoint } from '#http/endpoint'
import { METADATA_PATH } from '#http/guards/agent'
import { byIp } from '#http/limit-keys'

const Metadata = z.strictObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.enum(grants.AGENT_SCOPES)),
  bearer_methods_supported: z.array(z.literal('header')),
  resource_name: z.string(),
  resource_documentation: z.string(),
})

/**
 * The metadata from which agents learn how to get a token (RFC 9728), at the root and at the
 * endpoint's path.
 */
export function metadata({ config }: World): Endpoint[] {
  const { base_url } = config
  const json: z.input<typeof Metadata> = {
    resource: grants.agentAudience(base_url),
    authorization_servers: [`${base_url}/o`],
    scopes_supported: [...grants.AGENT_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Purser agent endpoint',
    resource_documentation: `${base_url}/docs/agents`,
  }
  const paths = ['/.well-known/oauth-protected-resource', METADATA_PATH]
  return paths.map((path) =>
    endpoint({
      method: 'GET',
      path,
      name: 'readAgentMetadata',
      tag: 'Agents',
      summary: 'Retrieve the metadata of the agent endpoint',
      description: 'How agents get an access token (protected resource metadata, RFC 9728).',
      auth: 'none',
      cors: true,
      limit: { name: 'agent-metadata', points: 120, seconds: 60, by: 'caller IP', key: byIp },
      answers: { 200: { description: 'The metadata.', schema: Metadata } },
      refusals: ['rate_limited'],
      run: async () => ({ headers: { 'cache-control': 'public, max-age=3600' }, json }),
    }),
  )
}
