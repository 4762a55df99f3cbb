import type { Attachment } from '#platform/mail'

/** A letter in plain blocks, from which its text and its HTML are both made. */
export interface Words {
  subject: string
  heading: string
  blocks: Block[]
}

/** A letter that is ready, whom it goes to, and the papers that go along. */
export interface Written {
  to: string
  words: Words
  papers?: Attachment[]
}

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'rows'; rows: [term: string, value: string][] }
  | { kind: 'code'; label: string; value: string }
  | { kind: 'link'; label: string; url: string; note?: string }
