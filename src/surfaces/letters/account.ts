import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Letter } from '#platform/letters'
import {
  accountExists,
  confirmNewEmail,
  emailChange,
  newEmailTaken,
  securityChanged,
  setPassword,
  signInLink,
  signUpLink,
} from './account-words.ts'
import { link, signUpUrl } from './link.ts'
import type { Written } from './words.ts'

type Write = (world: World, letter: Required<Letter>) => Promise<Written | undefined>

const WRITERS = {
  sign_in: writeEntry,
  set_password: writeEntry,
  sign_up: writeSignUp,
  security: writeSecurity,
  change_email: writeToNewEmail,
  email_change_asked: writeToOldEmail,
  email_changed: writeToOldEmail,
} satisfies Record<string, Write>

/** Whether a letter is about an account and its safety. */
export function isAccountLetter(kind: string): kind is keyof typeof WRITERS {
  return Object.hasOwn(WRITERS, kind)
}

/** Writes such a letter; undefined where, by now, there is nobody to write to. */
export const writeAccountLetter: Write = async (world, letter) =>
  isAccountLetter(letter.kind) ? await WRITERS[letter.kind](world, letter) : undefined

/** The account of an address, if it has one and its owner may use it. */
async function openAccount({ db }: World, email_normalised: string) {
  const user = await identity.findByEmail(db, email_normalised)
  return user?.locked_at === null ? user : undefined
}

async function writeEntry(world: World, letter: Required<Letter>): Promise<Written | undefined> {
  const user = await openAccount(world, letter.subject_id)
  if (!user) return undefined
  const facts = { user_id: user.id, return_to: letter.facts.return_to }
  const words =
    letter.kind === 'sign_in'
      ? signInLink(await link(world, 'sign_in', facts))
      : setPassword(await link(world, 'set_password', facts))
  return { to: user.email, words }
}

async function writeSignUp(world: World, letter: Required<Letter>): Promise<Written | undefined> {
  const typed = await identity.findSignUp(world.db, letter.subject_id)
  if (!typed) return undefined
  const user = await identity.findByEmail(world.db, typed.email_normalised)
  if (user?.locked_at) return undefined
  if (!user) return { to: typed.email, words: signUpLink(await signUpUrl(world, typed.id)) }
  const facts = { user_id: user.id, return_to: typed.return_to ?? undefined }
  return { to: user.email, words: accountExists(await link(world, 'sign_in', facts)) }
}

async function writeSecurity(world: World, letter: Required<Letter>): Promise<Written> {
  const user = (await identity.findUser(world.db, letter.subject_id))!
  const { base_url } = world.config
  const urls = { security: `${base_url}/account/security/`, sign_in: `${base_url}/signin/` }
  const { what = '', name } = letter.facts
  return { to: user.email, words: securityChanged({ what, ...(name ? { name } : {}) }, urls) }
}

async function writeToNewEmail(
  world: World,
  letter: Required<Letter>,
): Promise<Written | undefined> {
  const change = await identity.findEmailChange(world.db, letter.subject_id)
  if (!change || change.done_at || change.ended_at) return undefined
  const taken = await identity.findByEmail(world.db, change.new_email_normalised)
  if (taken) return { to: taken.email, words: newEmailTaken() }
  const { user_id, old_email, id } = change
  const url = await link(world, 'change_email', { user_id, about: id })
  return { to: change.new_email, words: confirmNewEmail(old_email, url) }
}

async function writeToOldEmail(
  world: World,
  letter: Required<Letter>,
): Promise<Written | undefined> {
  const change = await identity.findEmailChange(world.db, letter.subject_id)
  if (!change || change.ended_at) return undefined
  const { user_id, old_email, id } = change
  const url = await link(world, 'undo_email', { user_id, about: id })
  return { to: old_email, words: emailChange(change, url) }
}
