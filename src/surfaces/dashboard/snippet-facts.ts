/** The values of an app that its snippets contain; never its secret. */
export interface SnippetFacts {
  base_url: string
  client_id: string
  oauth_login_url: string
  redirect_uri: string | undefined
  /** A price to link to; undefined until the app has one. */
  price_id: string | undefined
}

/** A text as a string in TypeScript. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
