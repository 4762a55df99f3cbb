/** The languages of Stripe's hosted pages. */
const LOCALES =
  'bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt ' +
  'pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW'

/** The `locale` of a hosted page: the language if Stripe has it, otherwise that of the browser. */
export function pageLocale(language: string | undefined): string {
  return language !== undefined && LOCALES.split(' ').includes(language) ? language : 'auto'
}
