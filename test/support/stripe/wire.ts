import type { IncomingMessage } from 'node:http'

/** What came in a form: texts, lists and objects, all that Stripe's encoding knows. */
export type Form = { [name: string]: FormValue }
export type FormValue = string | FormValue[] | Form

/** Reads `a=1&b[c]=2&d[0]=3` as Stripe does. */
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

/** An answer that refuses, in Stripe's shape. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>
  /** A request that fails before it is worked on leaves its key unused. */
  readonly keeps_key: boolean

  constructor(status: number, body: Record<string, unknown>, keeps_key = true) {
    super(String(body.message))
    this.status = status
    this.body = { type: 'invalid_request_error', ...body }
    this.keeps_key = keeps_key
  }
}

/** A request that makes no sense, by the parameter at fault. */
export function invalid(message: string, param?: string, code?: string): Refusal {
  return new Refusal(400, { message, param, code }, false)
}

/** A request that was understood and cannot be done. */
export function cannot(message: string, code?: string): Refusal {
  return new Refusal(400, { message, code })
}

/** Thrown where the network fails: the connection ends without an answer. */
export class Lost extends Error {}

/** The whole of a request's body. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
