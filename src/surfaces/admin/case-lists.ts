import type { FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { queryOf, readNumber } from '#http/input'
import { pageOf } from '#http/pagination'
import { openAlarms } from '#platform/alarms'
import { stuckAttempts } from './attempts.ts'
import { ON_A_PAGE } from './paging.ts'

/** The page of the cases. */
export const CASES = '/admin/cases/'

/** The lists of cases, by the ids of their panels, and what each needs. */
const NEEDS = {
  alarms: 'cases',
  attempts: 'payments',
  disputes: 'disputes',
  'failed-refunds': 'refunds',
  owed: 'payments',
  excess: 'payments',
  debts: 'payments',
  suspense: 'payments',
  suspended: 'licenses',
  locked: 'accounts',
} as const satisfies Record<string, identity.StaffPermission>

type ListName = keyof typeof NEEDS

/** A page of a list of cases. */
export interface CaseList<Item> {
  items: Item[]
  newest: string | undefined
  older: string | undefined
  /** The place of the page in the fields of its forms, which return to it. */
  place: Record<string, string>
}

/** The lists of cases; one without permission is empty. */
export type CaseLists = Awaited<ReturnType<typeof readCaseLists>>

/** A page of one list that continues after `below` rows; the other lists are not on it. */
interface CasePlace {
  list: ListName
  below: number
}

/** The lists at the place in the address; the first page of each if nothing is left there. */
export async function caseListsAt(
  world: World,
  request: FastifyRequest,
  role: identity.StaffRole,
): Promise<CaseLists> {
  const list = queryOf(request, 'list')
  const below = readNumber(queryOf(request, 'below'))
  if (!isListName(list) || below === undefined) return await readCaseLists(world, role)
  const lists = await readCaseLists(world, role, { list, below })
  const isEmpty = Object.values(lists).every(({ items }) => items.length === 0)
  return isEmpty ? await readCaseLists(world, role) : lists
}

function isListName(text: string | undefined): text is ListName {
  return text !== undefined && Object.hasOwn(NEEDS, text)
}

async function readCaseLists(world: World, role: identity.StaffRole, place?: CasePlace) {
  const { db } = world
  const read = async <Item>(
    list: ListName,
    page: (page: { limit: number; offset: number }) => Promise<Item[]>,
  ): Promise<CaseList<Item>> => {
    const isShown = identity.isPermitted(role, NEEDS[list]) && (place?.list ?? list) === list
    const offset = place?.below ?? 0
    const found = isShown ? await page({ limit: ON_A_PAGE + 1, offset }) : []
    const { rows: items, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: CASES,
      query: { list },
      is_first: place === undefined,
      belowOf: () => String(offset + ON_A_PAGE),
    })
    return {
      items,
      older: addresses.older,
      newest: addresses.newest && `${CASES}#${list}`,
      place: place ? { list, below: String(place.below) } : {},
    }
  }
  return {
    alarms: await read('alarms', (page) => openAlarms(db, page)),
    stuck: await read('attempts', (page) => stuckAttempts(world, page)),
    disputes: await read('disputes', (page) => payments.listUnclosed(db, page)),
    refused_refunds: await read('failed-refunds', (page) => payments.listRefused(db, page)),
    owed: await read('owed', (page) => ledger.listOwedBuyers(db, page)),
    excess: await read('excess', (page) => ledger.listExcessBuyers(db, page)),
    debts: await read('debts', (page) => payouts.listDebts(db, page)),
    suspense: await read('suspense', (page) =>
      ledger.listUnexplained(db, world.processor.name, page),
    ),
    suspended: await read('suspended', (page) => licensing.listSuspended(db, page)),
    locked: await read('locked', (page) => identity.listLocked(db, page)),
  }
}
