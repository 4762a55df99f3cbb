import { AGENT_CLIENT } from '#domain/grants'

/** The longest stored agent name, in characters. */
const MAX_LENGTH = 80

/**
 * The name that a program reports, cleaned for storage and display; undefined if nothing remains.
 */
export function agentName(
  self: { name?: string; title?: string | undefined } | undefined,
): string | undefined {
  const plain = (self?.title ?? self?.name ?? '').replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '')
  return [...plain.trim()].slice(0, MAX_LENGTH).join('') || undefined
}

/** The program's name from the User-Agent header; the older protocol has no other. */
export function userAgentName(header: string | undefined): string {
  return agentName({ name: /^[^\s/(]+/.exec(header ?? '')?.[0] ?? '' }) ?? AGENT_CLIENT
}
