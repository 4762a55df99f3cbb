import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { sellerOfForm } from '#http/form-token'
import type { SessionContext } from '#http/guards/session'
import { queryOf } from '#http/input'
import { AnsweredByGuard, redirectTo } from '#http/pages'
import { readId, type SellerId } from '#platform/ids'

const SELLER = 'seller'

/** A page of a seller, as a link for its members: some are members of other sellers too. */
export function pageOfSeller(page: string, seller_id: SellerId): string {
  return `${page}?${SELLER}=${seller_id}`
}

/**
 * If a link names another seller of the person, opens that seller's pages in this session, and the
 * page again without the name.
 */
export async function chooseNamedSeller(
  { db, config }: World,
  { request, session }: SessionContext,
): Promise<void> {
  const named = request.method === 'GET' ? readId('sel', queryOf(request, SELLER)) : undefined
  const { user_id, viewing_seller_id } = session
  if (!named || viewing_seller_id) return
  const member = await sellers.memberOf(db, { seller_id: named, user_id })
  if (!member) return
  await identity.chooseSeller(db, session.id, named)
  const { pathname, searchParams } = new URL(request.url, config.base_url)
  searchParams.delete(SELLER)
  const query = searchParams.size > 0 ? `?${searchParams}` : ''
  throw new AnsweredByGuard((reply) => redirectTo(reply, `${pathname}${query}`))
}

/**
 * The membership that a form is sent for, given the one whose pages are open. If the form is of
 * another seller's page, as another tab or a link chose a seller since, opens that seller's pages
 * in this session. Undefined if the person is no longer its member.
 */
export async function memberOfForm(
  { db }: World,
  { request, session }: SessionContext,
  current: sellers.Membership | undefined,
): Promise<sellers.Membership | undefined> {
  const seller_id = request.method === 'POST' ? sellerOfForm(request) : undefined
  const { user_id, viewing_seller_id } = session
  if (!seller_id || viewing_seller_id || seller_id === current?.seller_id) return current
  const member = await sellers.memberOf(db, { seller_id, user_id })
  if (member) await identity.chooseSeller(db, session.id, seller_id)
  return member
}
