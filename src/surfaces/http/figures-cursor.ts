import type { FiguresCursor } from '#domain/affiliates'
import { cents } from '#platform/money'

/** A position in a list of referred figures, as a query parameter. */
export function figuresCursorText({ amount, id }: FiguresCursor): string {
  return `${amount}.${id}`
}

/** The position in a query parameter, if it is valid. */
export function readFiguresCursor(text: string | undefined): FiguresCursor | undefined {
  const [, amount, id] = /^(-?\d{1,15})\.(\w{0,40})$/.exec(text ?? '') ?? []
  return amount === undefined ? undefined : { amount: cents(Number(amount)), id: id ?? '' }
}
