/**
 * The client that every agent shares: a program on its user's computer, which cannot keep a secret
 * and is not registered (spec: Authentication).
 */
export const AGENT_CLIENT = 'purser-agent'

/** What an agent may be allowed (spec: Sign-in rules, 9). */
export const AGENT_SCOPES = [
  'integrations.read',
  'integrations.write',
  'listing.read',
  'listing.write',
] as const

export type AgentScope = (typeof AGENT_SCOPES)[number]

/** The audience of agents' tokens: the agent endpoint only. */
export function agentAudience(base_url: string): string {
  return `${base_url}/mcp`
}

/** Whether a scope allows changes, so that a person may leave it out. */
export function isWriting(scope: AgentScope): boolean {
  return scope.endsWith('.write')
}

/** Whether an agent with these scopes may replace client secrets, and get them. */
export function mayReplaceSecrets(scopes: readonly AgentScope[]): boolean {
  return scopes.includes('integrations.write')
}

/**
 * The scopes that an agent requests by this `scope` parameter. Unknown scopes are dropped, write
 * includes read, and the default is read.
 */
export function scopesForAgent(scope: string | null): AgentScope[] {
  const named = new Set(scope?.split(' '))
  const isRequested = (each: AgentScope) =>
    named.has(each) || (!isWriting(each) && named.has(each.replace('.read', '.write')))
  const requested = AGENT_SCOPES.filter(isRequested)
  return requested.length > 0 ? requested : AGENT_SCOPES.filter((each) => !isWriting(each))
}

/** The only port at which an agent may listen under the name `localhost`. */
export const LOCALHOST_PORT = 45_454

// Compared as text, so that nothing is interpreted: no user, no query, no other spelling of a host.
const CALLBACK = new RegExp(
  `^http://(?:(?:127\\.0\\.0\\.1|\\[::1\\])(?::[1-9]\\d{0,4})?|localhost:${LOCALHOST_PORT})` +
    "(?:/[\\w.~!$&'()*+,;=:@%/-]{0,1024})?$",
)

/**
 * Whether an agent may listen at this address: on the person's own computer, on any path. By IP
 * address on any port; by name, which could resolve to something else, on one.
 */
export function isAgentCallback(uri: string): boolean {
  return CALLBACK.test(uri) && URL.canParse(uri)
}
