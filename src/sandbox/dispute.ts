import { addDays } from '#platform/calendar'

/** The scheduled course of a dispute, unless someone acts. */
export interface Course {
  /** Whether it began as an inquiry, which moves no money. */
  is_inquiry: boolean
  /** When an inquiry becomes a dispute; null if never. */
  escalates_at: Date | null
  closes_at: Date
  outcome: 'won' | 'lost'
}

/** The phase of a dispute. */
export type Phase = 'inquiry' | 'open' | 'closed'

const DAYS_TO_ANSWER = 7

/** An unanswered dispute is lost after a week; an inquiry becomes a dispute first. */
export function openCourse(now: Date, is_inquiry: boolean): Course {
  const answer_by = addDays(now, DAYS_TO_ANSWER)
  if (!is_inquiry) return { is_inquiry, escalates_at: null, closes_at: answer_by, outcome: 'lost' }
  return {
    is_inquiry,
    escalates_at: answer_by,
    closes_at: addDays(answer_by, DAYS_TO_ANSWER),
    outcome: 'lost',
  }
}

/** The phase of a dispute at a time. */
export function phaseOf(course: Course, now: Date): Phase {
  if (now >= course.closes_at) return 'closed'
  if (!course.is_inquiry) return 'open'
  return course.escalates_at === null || now < course.escalates_at ? 'inquiry' : 'open'
}

/** The deadline for evidence. */
export function dueAt(course: Course, now: Date): Date {
  const { escalates_at, closes_at } = course
  return phaseOf(course, now) === 'inquiry' && escalates_at ? escalates_at : closes_at
}

/**
 * The course after evidence was submitted. Two texts decide at once, as in Stripe's test mode; any
 * evidence closes an inquiry, and otherwise the dispute is won on its due date.
 */
export function afterEvidence(course: Course, now: Date, text: string | undefined): Course {
  if (phaseOf(course, now) === 'inquiry') return afterDecision(course, now, 'won')
  if (text === 'winning_evidence') return afterDecision(course, now, 'won')
  if (text === 'losing_evidence') return afterDecision(course, now, 'lost')
  return { ...course, outcome: 'won' }
}

/** The course after the bank's decision. An inquiry cannot be lost: it becomes a dispute. */
export function afterDecision(course: Course, now: Date, outcome: 'won' | 'lost'): Course {
  const isOpenInquiry = phaseOf(course, now) === 'inquiry'
  if (isOpenInquiry && outcome === 'lost') return afterEscalation(course, now)
  const escalates_at = isOpenInquiry ? null : course.escalates_at
  return { ...course, escalates_at, closes_at: now, outcome }
}

/** The course of an inquiry that becomes a dispute now. */
export function afterEscalation(course: Course, now: Date): Course {
  const closes_at = addDays(now, DAYS_TO_ANSWER)
  return { ...course, escalates_at: now, closes_at, outcome: 'lost' }
}

/** Whether a closed dispute never was more than an inquiry. */
export function isClosedInquiry({ is_inquiry, escalates_at }: Course): boolean {
  return is_inquiry && escalates_at === null
}
