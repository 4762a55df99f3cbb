/** One fault of an input: its path (`sections[2].title`) and what is wrong with it. */
export interface FieldFault {
  path: string
  message: string
}

/** What a refusal may contain besides its code and sentence. */
export interface ProblemDetails {
  fields?: FieldFault[]
  retry_after?: number
  scope?: string
  headers?: Record<string, string>
}

/**
 * A refused request, answered with `status` and `code`. It is not a bug; any other error is, and is
 * answered with 500.
 */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly details: ProblemDetails

  constructor(status: number, code: string, message: string, details: ProblemDetails = {}) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.details = details
  }
}
