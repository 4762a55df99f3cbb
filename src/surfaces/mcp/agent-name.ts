import { AGENT_CLIENT } from '#domain/grants'

/** The longest name of an agent that is kept, in characters. */
const LONGEST = 80

/** What a program calls itself, fit to be kept and shown; undefined where nothing is left of it. */
export function agentName(
  self: { name?: string; title?: string | undefined } | undefined,
): string | undefined {
  const plain = (self?.title ?? self?.name ?? '').replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '')
  return [...plain.trim()].slice(0, LONGEST).join('') || undefined
}

/** What a call's User-Agent header says of its program; the older protocol has no other word. */
export function userAgentName(header: string | undefined): string {
  return agentName({ name: /^[^\s/(]+/.exec(header ?? '')?.[0] ?? '' }) ?? AGENT_CLIENT
}
