import { z } from 'zod'

/** An address with a query; empty and undefined values are left out. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

const PackedForm = z.record(z.string(), z.string())

/**
 * A form as one parameter of an address: 4/3 of its bytes, also within another address. Encoded as
 * parameters of their own, 500 characters can be longer than an address may be.
 */
export function packForm(form: Record<string, string | undefined>): string {
  return Buffer.from(JSON.stringify(form)).toString('base64url')
}

/** The form in a parameter of an address; empty if there is none. */
export function unpackForm(text: string | undefined): Record<string, string> {
  try {
    return PackedForm.parse(JSON.parse(Buffer.from(text ?? '', 'base64url').toString()))
  } catch {
    return {}
  }
}
