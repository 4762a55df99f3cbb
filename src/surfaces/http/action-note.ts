import type { FastifyRequest } from 'fastify'
import { ownValue } from '#platform/record'
import { queryOf } from './input.ts'

/** What a page says about an action: its tone and its text. */
export interface ActionNote {
  tone: 'success' | 'warning'
  text: string
}

/** The note about what was just done: of a page's notes the one that `?done=` names, if any. */
export function noteFor<Note>(
  request: Pick<FastifyRequest, 'query'>,
  notes: Readonly<Record<string, Note>>,
): Note | undefined {
  return ownValue(notes, queryOf(request, 'done'))
}
