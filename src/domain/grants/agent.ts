/**
 * The client that every agent shares: a program on the computer of whoever uses it, which can keep
 * no secret and which nobody registers (spec: Authentication).
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

/** Whom the tokens of agents are for: the agent endpoint, and nobody else. */
export function agentAudience(base_url: string): string {
  return `${base_url}/mcp`
}

/** Whether a scope allows to change something, so that a person may leave it out. */
export function isWriting(scope: AgentScope): boolean {
  return scope.endsWith('.write')
}

/**
 * What an agent asks for by this `scope` parameter. What is no scope of agents is left out; who
 * asks to write asks to read as well; who asks for nothing asks to read.
 */
export function askedByAgent(scope: string | null): AgentScope[] {
  const named = new Set(scope?.split(' '))
  const isAsked = (each: AgentScope) =>
    named.has(each) || (!isWriting(each) && named.has(each.replace('.read', '.write')))
  const asked = AGENT_SCOPES.filter(isAsked)
  return asked.length > 0 ? asked : AGENT_SCOPES.filter((each) => !isWriting(each))
}

/** The one port at which an agent may wait under the name `localhost`. */
export const LOCALHOST_PORT = 45_454

// Compared as text, so that nothing is read into it: no user, no query, no other spelling of a host.
const CALLBACK = new RegExp(
  `^http://(?:(?:127\\.0\\.0\\.1|\\[::1\\])(?::[1-9]\\d{0,4})?|localhost:${LOCALHOST_PORT})` +
    "(?:/[\\w.~!$&'()*+,;=:@%/-]{0,1024})?$",
)

/**
 * Whether an agent may wait at this address: on the person's own computer, on any path. By its
 * number on any port; by its name, which something else may have been made to answer, on one.
 */
export function isAgentCallback(uri: string): boolean {
  return CALLBACK.test(uri) && URL.canParse(uri)
}
