/** The sections of the side navigation, in their order. */
export const SECTIONS = [
  'Get started',
  'Concepts',
  'Guides',
  'Sign-in libraries',
  'API reference',
  'Agents',
  'Moving to Purser',
  'Self-hosting',
] as const

/** A section of the documentation. */
export type DocsSection = (typeof SECTIONS)[number]
