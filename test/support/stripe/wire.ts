import type { IncomingMessage } from 'node:http'

/** A decoded form: strings, lists and objects. */
export type Form = { [name: string]: FormValue }
export type FormValue = string | FormValue[] | Form

/** Decodes `a=1&b[c]=2&d[0]=3` as Stripe does. */
export function readForm(text: string): Form {
  const form: Form = {}
  for (const [path, value] of new URLSearchParams(text)) {
    const names = path.replaceAll(']', '').split('[')
    let place: Record<string, FormValue> = form
    names.forEach((name, index) => {
      if (index === names.length - 1) {
        place[name] = value
        return
      }
      place[name] ??= /^\d+$/.test(names[index + 1]!) ? [] : {}
      place = place[name] as Form
    })
  }
  return form
}

/** An error response, in Stripe's shape. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>
  /** A request that fails validation leaves its key unused. */
  readonly keeps_key: boolean

  constructor(status: number, body: Record<string, unknown>, keeps_key = true) {
    super(String(body.message))
    this.status = status
    this.body = { type: 'invalid_request_error', ...body }
    this.keeps_key = keeps_key
  }
}

/** An invalid request, with the parameter at fault. */
export function invalid(message: string, param?: string, code?: string): Refusal {
  return new Refusal(400, { message, param, code }, false)
}

/** A valid request that cannot be executed. */
export function cannot(message: string, code?: string): Refusal {
  return new Refusal(400, { message, code })
}

/** Thrown to simulate a network failure: the connection ends without a response. */
export class Lost extends Error {}

/** The body of a request. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
