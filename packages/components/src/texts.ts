/** What the elements say, in the language of their page. */
import type { ListedPrice } from './prices.ts'

/** The texts of the elements. `{plan}` and `{price}` are replaced. */
export interface ComponentTexts {
  loading: string
  error: string
  retry: string
  empty: string
  unavailable: string
  billing: string
  month: string
  year: string
  buy: string
  free: string
  start: string
  per_day: string
  per_week: string
  per_month: string
  per_year: string
  once: string
}

const ENGLISH: ComponentTexts = {
  loading: 'Loading prices…',
  error: 'The prices cannot be loaded right now.',
  retry: 'Try again',
  empty: 'No plans are for sale right now.',
  unavailable: 'This plan is not for sale right now.',
  billing: 'Billing',
  month: 'Monthly',
  year: 'Yearly',
  buy: 'Buy {plan}',
  free: 'Free',
  start: 'Start for free',
  per_day: '{price} per day',
  per_week: '{price} per week',
  per_month: '{price} per month',
  per_year: '{price} per year',
  once: '{price} once',
}

const SPANISH: ComponentTexts = {
  loading: 'Cargando precios…',
  error: 'No se pueden cargar los precios en este momento.',
  retry: 'Reintentar',
  empty: 'No hay planes a la venta en este momento.',
  unavailable: 'Este plan no está a la venta en este momento.',
  billing: 'Facturación',
  month: 'Mensual',
  year: 'Anual',
  buy: 'Comprar {plan}',
  free: 'Gratis',
  start: 'Empezar gratis',
  per_day: '{price} al día',
  per_week: '{price} a la semana',
  per_month: '{price} al mes',
  per_year: '{price} al año',
  once: '{price}, pago único',
}

/** The attribute of a text, such as `text-per-month`. */
const attributeOf = (name: string) => `text-${name.replace('_', '-')}`

/** The attributes that replace texts. */
export const TEXT_ATTRIBUTES = Object.keys(ENGLISH).map(attributeOf)

/** The language of an element: the nearest `lang`, or the browser's. */
export function languageOf(element: Element): string {
  const tag = element.closest('[lang]')?.getAttribute('lang') || navigator.language
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/**
 * A text of an element, in its own direction: from its property `texts`, its attribute such as
 * `text-per-month`, or the default in its language.
 */
export function textOf(
  element: Element & { texts?: Partial<ComponentTexts> },
  name: keyof ComponentTexts,
  values: Record<string, string | Node> = {},
): HTMLElement {
  const defaults = languageOf(element).startsWith('es') ? SPANISH : ENGLISH
  const text = element.texts?.[name] ?? element.getAttribute(attributeOf(name)) ?? defaults[name]
  const parts = text.split(/(\{\w+\})/).map((part) => {
    const value = values[part.slice(1, -1)]
    return value === undefined || !part.startsWith('{') ? part : isolated(value)
  })
  return isolated(...parts)
}

/**
 * A text in its own direction: on a page from right to left, `$12 per month` would be read as
 * `per month $12`.
 */
export function isolated(...parts: (string | Node)[]): HTMLElement {
  const text = document.createElement('bdi')
  text.append(...parts)
  return text
}

/** A price in the language of its element, such as `$12 per month`. */
export function priceText(element: Element, price: ListedPrice): HTMLElement {
  const { amount, currency, frequency } = price
  const name = frequency === null ? 'once' : (`per_${frequency}` as const)
  return textOf(element, name, { price: moneyText(element, Number(amount), currency) })
}

/** An amount of money in the language of its element, without cents that are zero. */
export function moneyText(element: Element, amount: number, currency: string): string {
  const digits = Number.isInteger(amount) ? { minimumFractionDigits: 0 } : {}
  const options = { style: 'currency', currency: currency.toUpperCase(), ...digits } as const
  return new Intl.NumberFormat(languageOf(element), options).format(amount)
}
