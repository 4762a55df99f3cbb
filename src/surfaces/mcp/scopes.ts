import * as grants from '#domain/grants'
import type { Tool } from './tool.ts'

/**
 * The scope that a tool requires and a token lacks (spec: Sign-in rules, 9). A write scope implies
 * its read scope, and discovery tools accept any of the four.
 */
export function missingScope(
  { scope }: Pick<Tool, 'scope'>,
  granted: readonly string[],
): grants.AgentScope | undefined {
  if (scope === 'any') {
    const [least] = grants.AGENT_SCOPES
    return grants.AGENT_SCOPES.some((each) => granted.includes(each)) ? undefined : least
  }
  const enough = [scope, scope.replace(/\.read$/, '.write')]
  return enough.some((each) => granted.includes(each)) ? undefined : scope
}

/** The error message for a token without the required scope. */
export function scopeMessage(required_scope: string): string {
  const fault = `This tool requires an access token with the scope ${required_scope}.`
  return `${fault} Authenticate again, and allow it in the browser.`
}
