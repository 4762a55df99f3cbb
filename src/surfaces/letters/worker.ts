import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { findUnsent, LETTERS, type Letter, markSent } from '#platform/letters'
import { mintSecret } from '#platform/secrets'
import { letterHtml, letterText } from './mail.tsx'
import { receipt, setPassword, signInLink, type Words } from './words.ts'

/** Sends queued letters. A letter's words and links are made at that moment and kept nowhere. */
export function letters(world: World): void {
  world.jobs.handle<{ letter_id: string }>(LETTERS, async ({ letter_id }) => {
    const letter = await findUnsent(world.db, letter_id)
    if (!letter) return
    const written = await write(world, letter)
    const now = world.clock.now()
    await world.mailer.send(now, {
      message_id: `<${letter.id}@${new URL(world.config.base_url).hostname}>`,
      to: written.to,
      subject: written.words.subject,
      html: letterHtml(written.words),
      text: letterText(written.words),
    })
    await markSent(world.db, now, letter.id)
  })
}

interface Written {
  to: string
  words: Words
}

async function write(world: World, letter: Required<Letter>): Promise<Written> {
  switch (letter.kind) {
    case 'receipt':
      return await writeReceipt(world, letter.subject_id)
    case 'sign_in':
    case 'set_password': {
      const user = (await identity.findUser(world.db, letter.subject_id))!
      const url = await link(world, user, letter.kind, letter.facts.return_to)
      const words = letter.kind === 'sign_in' ? signInLink(url) : setPassword(url)
      return { to: user.email, words }
    }
    default:
      throw new Error(`there is no letter of the kind ${letter.kind}`)
  }
}

async function writeReceipt(world: World, order_id: string): Promise<Written> {
  const { db, keys, config } = world
  const order = (await billing.tellOrder(db, order_id))!
  const user = (await identity.findUser(db, order.user_id))!
  const license = await licensing.findLicense(db, order.license_id)
  const isUnproven = user.email_verified_at === null
  const words = receipt(order, licensing.showKey(keys, license), {
    verify_email: isUnproven ? await link(world, user, 'verify_email') : undefined,
    set_password: user.password_hash === null ? await link(world, user, 'set_password') : undefined,
    not_me: order.made_account && isUnproven ? await link(world, user, 'not_me') : undefined,
    manage: `${config.base_url}/manage/${order.app_id}/`,
  })
  return { to: user.email, words }
}

async function link(
  { db, clock, random, config }: World,
  user: identity.User,
  purpose: identity.LinkPurpose,
  return_to?: string,
): Promise<string> {
  const token = mintSecret(random)
  const facts = { token, user_id: user.id, purpose, ...(return_to ? { return_to } : {}) }
  await identity.addLink(db, clock.now(), facts)
  return `${config.base_url}/link/${purpose}/${token}`
}
