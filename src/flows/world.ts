import type { ClickCounter } from '#domain/affiliates'
import type * as apps from '#domain/apps'
import type * as catalog from '#domain/catalog'
import type * as identity from '#domain/identity'
import type { Use } from '#domain/licensing'
import type * as listing from '#domain/listing'
import type { Processor } from '#domain/payments'
import * as payouts from '#domain/payouts'
import type * as sellers from '#domain/sellers'
import type { TaxProvider } from '#domain/tax'
import { addSeconds } from '#platform/calendar'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Database, Db } from '#platform/db'
import type { Drain } from '#platform/drain'
import type { AppId, PayeeId, SellerId, SessionId, UserId } from '#platform/ids'
import type { Jobs } from '#platform/jobs'
import type { Languages } from '#platform/language/languages'
import type { Limits } from '#platform/limits'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { Visit } from '#platform/outbound'
import type { PdfPool } from '#platform/pdf/pool'
import type { Pictures } from '#platform/pictures'
import type { Random } from '#platform/random'
import type { Readiness } from '#platform/readiness'
import type { KeyRing } from '#platform/secrets'
import type { FileStorage } from '#platform/storage'
import type { BufferedTally } from '#platform/tally'

/** Everything that a flow needs from outside, passed in so that a test can replace any part. */
export interface World {
  config: Config
  db: Database
  clock: Clock
  random: Random
  keys: KeyRing
  log: Log
  limits: Limits
  jobs: Jobs
  mailer: Mailer
  processor: Processor
  taxes: TaxProvider
  /** How licenses are used, counted in memory until `recordUses` writes it. */
  uses: BufferedTally<Use>
  /** Clicks on affiliates' links, counted in memory until `recordClicks` writes them. */
  clicks: ClickCounter
  /** Requests URLs that sellers supplied, on the public internet only. */
  visit: Visit
  /** Renders PDFs off the event loop. */
  pdfs: PdfPool
  /** Decodes and encodes uploaded pictures off the event loop. */
  pictures: Pictures
  /** The languages of the pages, emails and PDFs for buyers. */
  languages: Languages
  /** Files such as pictures of apps. */
  storage: FileStorage
  readiness: Readiness
  /** Lets the proxy stop sending requests before this process closes. */
  drain: Drain
  /** The version of the seller terms that is published. */
  seller_terms_version: string
  /** Set in the test mode beside live mode: what it may read from live mode. */
  live: LiveMode | undefined
  /** Aborted when the service stops: long work ends at its next step. */
  stopping: AbortSignal
}

/**
 * What test mode may read from the live mode beside it. It has neither the live database nor the
 * live keys, so nothing that happens there can reach live mode.
 */
export interface LiveMode {
  /**
   * Uses up the token with which a member of a seller enters, in the browser for which it was
   * issued; undefined for any other.
   */
  redeem(secret: identity.EntrySecret): Promise<identity.TestModeEntry | undefined>
  /** A seller as it is now in live mode. */
  seller(id: SellerId): Promise<LiveSeller | undefined>
  /** Which of these sessions have not ended. */
  sessions(ids: SessionId[]): Promise<SessionId[]>
  /** Which of these accounts are not deleted. */
  existing(ids: UserId[]): Promise<UserId[]>
  /** The sellers and the apps that staff suspend. */
  suspended(): Promise<LiveSuspensions>
  /** The seller of an app. */
  sellerOf(app_id: AppId): Promise<SellerId | undefined>
  /** The plans and the listing of an app, to start from. */
  content(app_id: AppId): Promise<LiveContent>
  /** A file of live mode's storage, such as an app's icon. */
  file(key: string): Promise<Buffer | undefined>
}

/** A seller with its members and apps, and the images that the apps show. */
export interface LiveSeller extends sellers.Seller {
  terms: sellers.AcceptedTerms | undefined
  members: (LiveUser & { role: sellers.MemberRole })[]
  apps: apps.App[]
  images: apps.AppImage[]
}

/** What staff suspend, each with its time. */
export interface LiveSuspensions {
  sellers: sellers.SuspendedSeller[]
  apps: apps.SuspendedApp[]
}

/** The account of a member. */
export type LiveUser = Pick<
  identity.User,
  'id' | 'email' | 'email_normalized' | 'email_verified_at'
>

/** The plans and the listing of an app. */
export interface LiveContent {
  products: catalog.Product[]
  highlighted: catalog.Product['id'] | undefined
  prices: catalog.Price[]
  sections: listing.Section[]
  features: listing.Feature[]
  names: Record<listing.NameKind, string[]>
}

/**
 * The same world for lists, statements, exports and other slow work: it uses the few database
 * connections of the reports, so a checkout or a validation never waits for it.
 */
export function forReports(world: World): World {
  return { ...world, db: { ...world.db, ...world.db.reports } }
}

/**
 * The current time for an app: the service's own, or its test clock's, which may be ahead.
 * Everything about an app's money and licenses is dated by it.
 */
export function appTime({ clock }: Pick<World, 'clock'>, app: { clock_ahead: number }): Date {
  return addSeconds(clock.now(), app.clock_ahead)
}

/**
 * The current time for a payee: that of the test clock furthest ahead among a seller's own apps, or
 * among the apps that an affiliate earned on. Without test clocks it is the service's time.
 */
export async function payeeTime(
  { db, clock }: { db: Db; clock: Clock },
  owner: PayeeId,
): Promise<Date> {
  return addSeconds(clock.now(), await payouts.clockAheadOf(db, owner))
}
