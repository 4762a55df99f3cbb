import type { Link } from '#design/layout'
import * as payouts from '#domain/payouts'
import type { DeletionBlock, UnpaidBalance } from '#flows/account'
import { manageUrl } from '#http/guards/license'
import { PAYEE_PAGES } from '#http/guards/payee'
import type { Locale } from '#platform/language/locale'
import { cents } from '#platform/money'

/** What the account's owner can do about a reason that blocks the deletion. */
export function blockText(block: DeletionBlock, locale: Locale): { text: string; link?: Link } {
  const { t, money } = locale
  switch (block.kind) {
    case 'subscription': {
      const { app_id, app_name: app } = block
      const link = { label: t('account.block_manage', { app }), href: manageUrl(app_id) }
      return { text: t('account.block_subscription', { app }), link }
    }
    case 'seller':
      return { text: t(`account.block_seller_${block.has}`, { seller: block.seller_name }) }
    case 'balance': {
      const { balance, seller_name: seller } = block
      const whose = seller ? t('account.block_balance', { seller }) : t('account.block_commission')
      const link = { label: t('account.block_see_balance'), href: homeOf(balance.payee) }
      return { text: balanceText(balance, whose, locale), link }
    }
    case 'refund':
      return {
        text: t('account.block_refund', { amount: money(block.owed) }),
        link: { label: t('layout.help'), href: '/help/' },
      }
    case 'dispute':
    case 'payment':
    case 'staff':
      return { text: t(`account.block_${block.kind}`) }
  }
}

/** What has to happen to the money of a payee. */
function balanceText(
  { total, pending_total, is_paying }: UnpaidBalance,
  whose: string,
  { t, money }: Locale,
): string {
  if (is_paying) return t('account.block_balance_paying', { whose })
  if (total < 0) {
    return t('account.block_balance_negative', { whose, amount: money(cents(0 - total)) })
  }
  if (pending_total > 0) {
    return t('account.block_balance_pending', { whose, amount: money(pending_total) })
  }
  const amount = money(total)
  if (payouts.isPayable(total)) return t('account.block_balance_payable', { whose, amount })
  return t('account.block_balance_small', { whose, amount })
}

/** The page of a payee's balance. */
export function homeOf({ account }: payouts.Payee): string {
  return PAYEE_PAGES[account === 'affiliate_payable' ? 'affiliate' : 'seller'].home
}
