import { PASSWORD_MAX, PASSWORD_MIN, passwordFault } from '#domain/identity'
import { ENGLISH, type Locale } from '#platform/language/locale'

/** What is wrong with a new password, in a sentence; it must not contain the owner's email. */
export async function passwordSentence(
  password: string,
  email: string,
  { t }: Locale = ENGLISH,
): Promise<string | undefined> {
  const fault = await passwordFault(password, email)
  switch (fault) {
    case undefined:
      return undefined
    case 'too_short':
      return t('password.too_short', { count: PASSWORD_MIN })
    case 'too_long':
      return t('password.too_long', { count: PASSWORD_MAX })
    case 'contains_email':
    case 'easy':
      return t(`password.${fault}`)
  }
}
