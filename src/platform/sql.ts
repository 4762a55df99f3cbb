import { createHash } from 'node:crypto'

/** A statement with its values apart from its text, to be sent as a prepared statement. */
export class Sql {
  readonly text: string
  readonly values: unknown[]

  constructor(text: string, values: unknown[]) {
    this.text = text
    this.values = values
  }

  /** The prepared statement's name: the same text has the same name. */
  get name(): string {
    return nameOf(this.text)
  }
}

const names = new Map<string, string>()
const plainTexts = new WeakMap<TemplateStringsArray, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `q_${createHash('sha256').update(text).digest('base64url')}`
    names.set(text, name)
  }
  return name
}

/** Builds a statement: values become parameters, and other statements are inserted verbatim. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some((value) => value instanceof Sql)) {
    let text = plainTexts.get(strings)
    if (text === undefined) {
      text = strings.reduce((left, right, index) => `${left}$${index}${right}`)
      plainTexts.set(strings, text)
    }
    return new Sql(text, values)
  }
  let text = strings[0]!
  const flat: unknown[] = []
  values.forEach((value, index) => {
    if (value instanceof Sql) {
      const offset = flat.length
      text += value.text.replace(/\$(\d+)/g, (_, place) => `$${Number(place) + offset}`)
      flat.push(...value.values)
    } else {
      flat.push(value)
      text += `$${flat.length}`
    }
    text += strings[index + 1]!
  })
  return new Sql(text, flat)
}
