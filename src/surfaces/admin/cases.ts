import type { FastifyInstance } from 'fastify'
import type * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import {
  bookSuspense,
  payBuyerOtherwise,
  reinstateByStaff,
  resolveByStaff,
  signOutAccount,
  suspendByStaff,
  unlockAccount,
  writeOff,
} from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { csrfToken } from '#http/form-token'
import { requireRecentProof, type SessionContext } from '#http/guards/session'
import { requireStaff, staffActor } from '#http/guards/staff'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { type LicenseId, readId, readPayeeId } from '#platform/ids'
import { closeAttempt } from './attempts.ts'
import { bookedNote, CHANGED_NOTE, seenAmount } from './booked.ts'
import { CASES, caseListsAt } from './case-lists.ts'
import { search, withoutLicenseKey } from './case-search.ts'
import { CasesPage } from './cases-page.tsx'
import {
  filledAddress,
  REASON_NOTE,
  REFUSED_CHOICE,
  REFUSED_REASON,
  readFilledForm,
  staffReasonFault,
} from './require-reason.ts'

/** The cases that need staff, and the staff actions for each. */
export function declareCases(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  scope.get(CASES, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, CASES, 'cases')
    const typed = trimmedQuery(queryOf(request, 'q'))
    const query = await withoutLicenseKey(reporting, typed)
    if (query !== typed) return redirectTo(reply, withQuery(CASES, { q: query }))
    const page = CasesPage({
      role,
      csrf_token: csrfToken(world, request, reply),
      query,
      found: query === '' ? undefined : await search(reporting, query),
      lists: await caseListsAt(reporting, request, role),
      note: noteFor(request, NOTES),
      filled: readFilledForm(request),
    })
    return sendPage(reply, page)
  })
  // Posted, as the first address of a search for a license key would have it.
  scope.post(`${CASES}search`, async (request, reply) => {
    await requireStaff(reporting, request, reply, CASES, 'cases')
    const query = await withoutLicenseKey(reporting, trimmedQuery(formOf(request).q))
    return redirectTo(reply, withQuery(CASES, { q: query }))
  })
  declareStaffActions(scope, world)
}

function trimmedQuery(text = ''): string {
  return text.trim().slice(0, 200)
}

/** What each action needs. */
const PERMISSIONS = {
  unlock: 'accounts',
  'sign-out': 'accounts',
  suspend: 'licenses',
  reinstate: 'licenses',
  'resolve-alarm': 'cases',
  'close-attempt': 'payments',
  'paid-otherwise': 'payments',
  'write-off': 'payments',
  'book-suspense': 'payments',
} as const satisfies Record<string, identity.StaffPermission>

/** Actions about money need re-authentication. */
const isAboutMoney = (path: keyof typeof PERMISSIONS) => PERMISSIONS[path] === 'payments'

/** The form as filled in, and its place: a search, or a page of a list. */
function sentForm(path: string, { request }: SessionContext) {
  const form = formOf(request)
  const { user_id, owner, attempt_id, license_id, alarm_id, movement_id, reason = '' } = form
  const subject = user_id ?? owner ?? attempt_id ?? license_id ?? alarm_id ?? movement_id ?? ''
  const filled = { path, subject, reason: reason.trim(), choice: form.booked_as }
  return { filled, place: listPlace(form) }
}

function listPlace({ q, list, below }: Record<string, string>) {
  return { q, list, below }
}

/** Declares the staff actions; each needs a reason, which the audit log keeps. */
function declareStaffActions(scope: FastifyInstance, world: World): void {
  const staffAction = (
    path: keyof typeof PERMISSIONS,
    act: (fields: Record<string, string>, staff: Parameters<typeof unlockAccount>[1]) => unknown,
    /** Whether the choice that the form asks for was made. */
    isChosen: (fields: Record<string, string>) => boolean = () => true,
  ) => {
    scope.post(`/admin/${path}`, async (request, reply) => {
      const context = await requireStaff(world, request, reply, CASES, PERMISSIONS[path])
      const { filled, place } = sentForm(path, context)
      const hasChoice = isChosen(formOf(request))
      if (staffReasonFault(filled.reason) || !hasChoice) {
        const refused = hasChoice ? REFUSED_REASON : REFUSED_CHOICE
        return redirectTo(reply, filledAddress(CASES, filled, { ...place, ...refused }))
      }
      const back = filledAddress(CASES, filled, place)
      if (isAboutMoney(path)) requireRecentProof(world, context, back)
      const done = await act(formOf(request), { ...staffActor(context), reason: filled.reason })
      return redirectTo(reply, withQuery(CASES, { ...place, done: String(done) }))
    })
  }

  staffAction('unlock', async (fields, staff) => {
    const user_id = readId('usr', fields.user_id)
    return user_id && (await unlockAccount(world, staff, user_id)) ? 'unlocked' : 'nothing'
  })
  staffAction('sign-out', async (fields, staff) => {
    const user_id = readId('usr', fields.user_id)
    return user_id ? await signOutAccount(world, staff, user_id) : 'nothing'
  })
  staffAction('suspend', async (fields, staff) => {
    const license_id = await knownLicense(world, fields)
    return license_id ? await suspendByStaff(world, staff, license_id) : 'nothing'
  })
  staffAction('reinstate', async (fields, staff) => {
    const license_id = await knownLicense(world, fields)
    return license_id ? await reinstateByStaff(world, staff, license_id) : 'nothing'
  })
  staffAction('resolve-alarm', async (fields, staff) => {
    const alarm_id = readId('alm', fields.alarm_id)
    return alarm_id && (await resolveByStaff(world, staff, alarm_id)) ? 'resolved' : 'nothing'
  })
  staffAction('close-attempt', async (fields, staff) => {
    const attempt_id = readId('att', fields.attempt_id)
    if (!attempt_id) return 'nothing'
    const nothing_charged = fields.nothing_charged === 'yes'
    return await closeAttempt(world, staff, { attempt_id, nothing_charged })
  })
  staffAction('paid-otherwise', async (fields, staff) => {
    const user_id = readId('usr', fields.user_id)
    const seen = seenAmount(fields)
    if (!user_id || seen === undefined) return 'nothing'
    return bookedNote(await payBuyerOtherwise(world, staff, { user_id, seen }), 'paid')
  })
  staffAction('write-off', async ({ account, ...fields }, staff) => {
    const owner = readPayeeId(fields.owner)
    const isPayable = account === 'seller_payable' || account === 'affiliate_payable'
    const seen = seenAmount(fields)
    if (!owner || !isPayable || seen === undefined) return 'nothing'
    return bookedNote(await writeOff(world, staff, { account, owner, seen }), 'written_off')
  })
  staffAction(
    'book-suspense',
    async ({ movement_id = '', ...fields }, staff) => {
      const booking = { movement_id, account: suspenseAccount(fields)! }
      return (await bookSuspense(world, staff, booking)) ? 'booked' : 'nothing'
    },
    (fields) => suspenseAccount(fields) !== undefined,
  )
}

function suspenseAccount({
  booked_as,
}: Record<string, string>): ledger.SuspenseAccount | undefined {
  return ledger.SUSPENSE_ACCOUNTS.find((each) => each === booked_as)
}

async function knownLicense(
  { db }: World,
  fields: Record<string, string>,
): Promise<LicenseId | undefined> {
  const license_id = readId('lic', fields.license_id)
  return license_id && (await licensing.hasLicense(db, license_id)) ? license_id : undefined
}

const NOTES: Record<string, ActionNote> = {
  unlocked: { tone: 'success', text: 'Account unlocked. Its owner signs in with an email link.' },
  signed_out: { tone: 'success', text: 'Signed out of the service and every app.' },
  is_staff: { tone: 'warning', text: 'Not signed out: only an admin can sign out staff.' },
  suspended: {
    tone: 'success',
    text: 'License paused. Its key does not work until it is resumed.',
  },
  ended: { tone: 'warning', text: 'Not paused: the license has ended or is a preview.' },
  paused_by_owner: {
    tone: 'warning',
    text: 'Not paused again: the buyer paused this license. Pause it after it resumes.',
  },
  reinstated: { tone: 'success', text: 'License resumed.' },
  still_disputed: {
    tone: 'warning',
    text: 'No longer paused by staff. The license stays paused until its dispute is decided.',
  },
  paid: { tone: 'success', text: 'Marked as repaid.' },
  resolved: { tone: 'success', text: 'Alarm resolved. It is raised again if the problem recurs.' },
  attempt_closed: { tone: 'success', text: 'Payment attempt closed. Nothing was charged.' },
  was_charged: { tone: 'success', text: 'The processor reports a charge. It is now recorded.' },
  unanswered: {
    tone: 'warning',
    text: 'The processor does not respond. Check there. If nothing was charged, confirm it below.',
  },
  changed: CHANGED_NOTE,
  written_off: { tone: 'success', text: 'Written off.' },
  booked: { tone: 'success', text: 'Movement booked.' },
  no_choice: { tone: 'warning', text: 'Not booked. Choose what the movement was.' },
  nothing: { tone: 'warning', text: 'No change: this item was already handled.' },
  no_reason: REASON_NOTE,
}
