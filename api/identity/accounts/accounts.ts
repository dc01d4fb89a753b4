import { type ReadersNow, readersNow } from "#crawler/sources/readers/readers-now.ts"
import { migrateReaders } from "#crawler/sources/readers/readers-schema.ts"
import { unknownSource } from "#crawler/sources/source-names.ts"
import { AuditLog } from "#base/audit/audit-log.ts"
import { isOnServer, type StateStore } from "#base/store/state-store.ts"
import type { Values } from "#base/settings.ts"
import { TimeGuard } from "#base/store/clock/trusted-time.ts"

import { type AnsweredCall, Billing, type BillingParts } from "./billing/billing.ts"
import { CallLog } from "./call-log.ts"
import { type Collections, openCollections } from "./reach/collections.ts"
import type { accountSettings } from "./settings.ts"
import { FeedbackStore } from "./feedback-store.ts"
import { PageRequestStore } from "./page-request-store.ts"
import { type HumanHash, openCallerHash, openHumanHash } from "./human-ids.ts"
import { actingKey, onBehalfOf } from "./keys/acting-key.ts"
import { type ApiKey, isOver, type KeyStore, openKeyStore } from "./keys/keys.ts"
import { Ledger } from "./billing/credit-ledger.ts"
import { PublicKeyStore } from "./public-keys/public-key-store.ts"
import { KeptByKey } from "./storage/kept-by-key.ts"
import { SharedRates } from "./rates/shared-rates.ts"
import { RateCounter, type Rates } from "./rates/rate-limits.ts"
import type { StoredBytes } from "../../server/load/bounds.ts"
import type { Journal } from "../../server/outage/journal.ts"
import { NO_OUTAGE, type StateOutage } from "../../server/outage/state-outage.ts"
import { LateCalls } from "./billing/late-calls.ts"
import { SteadyRates } from "./rates/steady-rates.ts"
import { tidyHourly } from "./tidying.ts"
import { WriteQueue } from "./billing/write-queue.ts"

export interface AccountsConfig extends Values<typeof accountSettings> {
  readonly apiKey: string
}

/** Keys and their usage, as the endpoints need them. */
export interface Accounts extends AsyncDisposable {
  readonly keys: KeyStore
  /** Keys used in web pages; {@link keys} doesn't include them. */
  readonly publicKeys: PublicKeyStore
  readonly collections: Collections
  /** Who may read which sources and pages. */
  readonly readers: () => Promise<ReadersNow>
  /** Returns what is wrong with the names of sources; null if nothing is. */
  readonly unknownSource: (names: readonly string[]) => Promise<string | null>
  readonly ledger: Ledger
  /** Like the ledger's function of the same name, but true while the state server is away. */
  readonly mayName: Ledger["mayName"]
  readonly billing: Billing
  readonly callLog: CallLog
  readonly feedback: FeedbackStore
  readonly pageRequests: PageRequestStore
  /** The log of changes and of the people who made them. */
  readonly audit: AuditLog
  readonly rates: Rates
  /** Rates of callers with public keys, by key and address. No matter how many of these callers there are, they displace no others. */
  readonly publicRates: Rates
  /** The total amount of data that callers have stored, by kind. */
  readonly stored: () => Promise<ReadonlyMap<string, StoredBytes>>
  /** The total amount of data that each key has stored. */
  readonly kept: KeptByKey
  readonly hashHuman: HumanHash
  /** Every write by the parts above goes through this queue. */
  readonly writes: WriteQueue
}

/** Keys that are stored elsewhere and are known only by their ids: those of people who signed in. */
export interface PeopleKeys extends Pick<KeyStore, "byId" | "nameOf"> {
  /** Whether an id is a person's. */
  readonly owns: (id: string) => boolean
  /**
   * The key with which the person with this id may search and read now, without any other rights they have; null if
   * there is nothing that they may read.
   */
  readonly readerOf: (id: string) => Promise<ApiKey | null>
}

/** How accounts survive an outage of the state server, and which people they know. */
export interface Bridge {
  readonly outage: StateOutage
  /** Where calls wait to be counted; null if calls are refused during an outage. */
  readonly journals: readonly [Journal, ...Journal[]] | null
  /** Keys of people who signed in; if left out, the only way to sign in is with a key. */
  readonly people?: PeopleKeys | undefined
}

const NO_BRIDGE: Bridge = { outage: NO_OUTAGE, journals: null }

const MEGABYTE = 1_000_000

/**
 * Opens the accounts on their own connection to `state.db`, which from here on doesn't wait for locks. Close the
 * accounts before you close the connection.
 *
 * @param onProblem called with failures outside any call
 * @param onWaiting called with the number of calls waiting to be counted until the disk has room, and with 0 once all
 * are counted
 * @param bridge by default, calls are refused while the state server is away
 */
export async function openAccounts(
  db: StateStore,
  config: AccountsConfig,
  onProblem: (error: unknown) => void,
  onWaiting: BillingParts["onWaiting"] = () => {},
  { outage, journals, people }: Bridge = NO_BRIDGE,
): Promise<Accounts> {
  const plan = {
    name: config.planName,
    credits: config.planCredits === 0 ? null : config.planCredits,
    paygo: config.paygoCredits,
  }
  const collections = openCollections(db)
  const known = withPeople(openKeyStore(db, config.apiKey, config.keysPerKey), people, collections)
  const keys = knownKeys(known, outage)
  migrateReaders(db)
  const ledger = new Ledger(db, plan, (key) => keys.handedOut(key))
  const callLog = new CallLog(db, config.logMb * MEGABYTE)
  const feedback = new FeedbackStore(db, config.feedbackMb * MEGABYTE)
  const pageRequests = new PageRequestStore(db)
  const audit = new AuditLog(db, config.auditDays)
  const hashHuman = await openHumanHash(db, config.humanIdSecret)
  const hashCaller = isOnServer(db) ? await openCallerHash(db) : null
  await ledger.recover()
  // Waiting would hold up every request to this process.
  db.patienceMs = 0
  const writes = new WriteQueue(db)
  const late = journals && new LateCalls<AnsweredCall>(db, journals)
  const billing = new Billing({
    outage,
    late,
    ledger,
    log: callLog,
    writes,
    keepsQueries: config.logQueries,
    mostWaiting: config.uncountedCalls,
    onWaiting,
  })
  await billing.recover()
  const days = config.logDays
  const tidying = tidyHourly(
    [
      audit,
      ...[callLog, feedback, pageRequests, keys].map((part) => ({ days, prune: part.prune.bind(part) })),
    ],
    { writes, guard: new TimeGuard(db), onProblem },
  )
  return {
    keys,
    publicKeys: new PublicKeyStore(db),
    collections: {
      ...collections,
      list: outage.remembered(() => collections.list()),
      sourcesOf: outage.remembered((names: readonly string[]) => collections.sourcesOf(names)),
    },
    readers: outage.remembered(() => readersNow(db)),
    unknownSource: (names) => unknownSource(db, names),
    ledger,
    mayName: outage.without((keyId: string, project: string) => ledger.mayName(keyId, project), true),
    billing,
    callLog,
    feedback,
    pageRequests,
    audit,
    rates: isOnServer(db) ? new SteadyRates(new SharedRates(db), outage) : new RateCounter(),
    publicRates:
      hashCaller === null ? new RateCounter() : new SteadyRates(new SharedRates(db, hashCaller), outage),
    stored: async () =>
      new Map([
        ["calls", { bytes: (await callLog.stored.all()).bytes, most: config.logMb * MEGABYTE }],
        ["feedback", { bytes: (await feedback.stored.all()).bytes, most: config.feedbackMb * MEGABYTE }],
        ["page-requests", { bytes: (await pageRequests.stored.all()).bytes, most: null }],
        ["keys", { bytes: (await keys.stored.all()).bytes, most: null }],
      ]),
    kept: new KeptByKey(db, config.keyStoredMb * MEGABYTE),
    hashHuman,
    writes,
    async [Symbol.asyncDispose]() {
      tidying[Symbol.dispose]()
      await writes.idle()
      await billing[Symbol.asyncDispose]()
    },
  }
}

/** The same keys, plus people, found by their ids, and services that act for people. */
function withPeople(
  keys: KeyStore,
  people: PeopleKeys | undefined,
  { sourcesOf }: Pick<Collections, "sourcesOf">,
): KeyStore {
  if (people === undefined) return keys
  const storeOf = (id: string) => (people.owns(id) ? people : keys)
  return {
    ...keys,
    async byId(id) {
      const onBehalf = onBehalfOf(id)
      if (onBehalf === null) return await storeOf(id).byId(id)
      const service = await keys.byId(onBehalf.keyId)
      if (service === null || service.actsForPeople === null) return null
      const person = await people.readerOf(onBehalf.personId)
      return person && (await actingKey(service, person, sourcesOf))
    },
    async nameOf(id) {
      const named = onBehalfOf(id)?.personId ?? id
      return await storeOf(named).nameOf(named)
    },
  }
}

/** The same keys. While the state server is away, keys that were recently valid are still known, and still expire on time. */
function knownKeys(keys: KeyStore, outage: StateOutage): KeyStore {
  const lately = (look: KeyStore["verify"]): KeyStore["verify"] => {
    const known = outage.remembered(look, (key) => key !== null)
    return async (given) => {
      const key = await known(given)
      return key !== null && isOver(key) ? null : key
    }
  }
  return {
    ...keys,
    verify: lately((presented) => keys.verify(presented)),
    verifyService: lately((presented) => keys.verifyService(presented)),
    verifyWriter: lately((presented) => keys.verifyWriter(presented)),
    byId: lately((id) => keys.byId(id)),
  }
}
