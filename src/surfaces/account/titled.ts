import type { Locale } from '#platform/language/locale'

/** The title of a page's document, which names an error first. */
export function titled(title: string, fault: boolean, { t }: Locale): string {
  const whole = t('account.page_title', { title })
  return fault ? t('layout.error_title', { title: whole }) : whole
}
