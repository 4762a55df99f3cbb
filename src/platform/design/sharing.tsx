import type { JSX } from 'preact'

/** What search engines and link previews read of a public page: its address, title and picture. */
export function Sharing(facts: {
  title: string
  description?: string
  canonical_url: string
  structured_data?: object[]
  /** The path of the picture; Purser's own by default. */
  picture?: string | undefined
}): JSX.Element {
  const { title, description, canonical_url } = facts
  const image = new URL(facts.picture ?? '/icon-512.png', canonical_url).href
  return (
    <>
      <link rel="canonical" href={canonical_url} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Purser" />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:url" content={canonical_url} />
      <meta property="og:image" content={image} />
      <meta name="twitter:card" content="summary" />
      {facts.structured_data?.map((each, index) => (
        <script
          key={index}
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: dataText(each) }}
        />
      ))}
    </>
  )
}

/** JSON that cannot end its script element: every `<` is escaped. */
function dataText(value: object): string {
  return JSON.stringify({ '@context': 'https://schema.org', ...value }).replaceAll('<', '\\u003c')
}
