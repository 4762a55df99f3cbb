/** One fault of an input: its place (`sections[2].title`) and what is wrong with it. */
export interface FieldFault {
  path: string
  message: string
}

/** What a refusal may carry beside its code and sentence. */
export interface ProblemDetails {
  fields?: FieldFault[]
  retry_after?: number
  scope?: string
  headers?: Record<string, string>
}

/**
 * A refusal: the caller asked for something that is not given. It is answered with `status` and
 * `code`, and is no fault of the service. Anything else that is thrown is a bug and answers 500.
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
