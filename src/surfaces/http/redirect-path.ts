// A form that is filled in again after re-authentication has a reason of up to 200 characters, each
// up to twelve in an address.
const MAX_PATH_LENGTH = 4096
// A path that carries an app's request (see app-request.ts) contains everything that the app sent.
const MAX_REQUEST_LENGTH = 12_288

/** A path of this service to redirect to; undefined for any other address. */
export function ownPath(text: string | null | undefined): string | undefined {
  if (text == null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const most = text.startsWith('/o/continue?') ? MAX_REQUEST_LENGTH : MAX_PATH_LENGTH
  return text.length <= most ? text : undefined
}
