import { setInterval } from "node:timers"

import { unknownSource } from "#crawler/sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { DeletionGuard } from "#base/steady-time.ts"
import type { Values } from "#base/settings.ts"

import { Billing, type BillingParts } from "./billing/billing.ts"
import { CallLog } from "./call-log.ts"
import { type Collections, openCollections } from "./reach/collections.ts"
import type { accountSettings } from "./settings.ts"
import { FeedbackStore } from "./feedback-store.ts"
import { type HumanHash, openHumanHash } from "./human-ids.ts"
import { type KeyStore, openKeyStore } from "./keys/keys.ts"
import { Ledger } from "./billing/credit-ledger.ts"
import { RateCounter } from "./limits/rate-limits.ts"
import { WriteQueue } from "./billing/write-queue.ts"

export interface AccountsConfig extends Values<typeof accountSettings> {
  readonly apiKey: string
}

/** Keys and what they use: what the endpoints ask of it. */
export interface Accounts extends Disposable {
  readonly keys: KeyStore
  readonly collections: Collections
  /** What is wrong with names of sources; null: nothing. */
  readonly unknownSource: (names: readonly string[]) => string | null
  readonly ledger: Ledger
  readonly billing: Billing
  readonly callLog: CallLog
  readonly feedback: FeedbackStore
  readonly rates: RateCounter
  /** What callers have stored, by what it is. */
  readonly stored: () => ReadonlyMap<string, number>
  readonly hashHuman: HumanHash
  /** Every write of the parts above goes through it. */
  readonly writes: WriteQueue
}

const MEGABYTE = 1_000_000
const DAY_MS = 86_400_000
const TIDY_MS = 3_600_000
/** Rows deleted in one transaction: others want to write too. */
const ROWS_AT_ONCE = 1000

/**
 * Opens the accounts on a connection to `state.db` of their own, which waits for no lock from here on: whoever closes
 * the connection closes the accounts first.
 *
 * @param onProblem told of what fails beside any call
 * @param onWaiting told of calls that wait to be counted until there is room on the disk, with 0 once all are
 */
export function openAccounts(
  db: StateStore,
  config: AccountsConfig,
  onProblem: (error: unknown) => void,
  onWaiting: BillingParts["onWaiting"] = () => {},
): Accounts {
  const plan = {
    name: config.planName,
    credits: config.planCredits === 0 ? null : config.planCredits,
    paygo: config.paygoCredits,
  }
  const keys = openKeyStore(db, config.apiKey, config.keysPerKey)
  const collections = openCollections(db)
  const ledger = new Ledger(db, plan, (key) => keys.handedOut(key))
  const callLog = new CallLog(db, config.logMb * MEGABYTE)
  const feedback = new FeedbackStore(db, config.feedbackMb * MEGABYTE)
  const hashHuman = openHumanHash(db, config.humanIdSecret)
  ledger.recover()
  // A wait would hold up every request of this process.
  db.exec("pragma busy_timeout = 0")
  const writes = new WriteQueue(db)

  const billing = new Billing({ ledger, log: callLog, writes, keepsQueries: config.logQueries, onWaiting })

  const closed = new AbortController()
  const guard = new DeletionGuard()
  async function tidy(): Promise<void> {
    if (!guard.mayDelete()) return
    const before = Date.now() - config.logDays * DAY_MS
    for (const part of [callLog, feedback, keys]) {
      let deleted = ROWS_AT_ONCE
      while (deleted === ROWS_AT_ONCE) {
        if (closed.signal.aborted) return
        deleted = await writes.run(() => part.prune(before, ROWS_AT_ONCE))
      }
    }
  }
  const tidyUp = () =>
    void tidy().catch((error: unknown) => {
      // The connection may have gone under it.
      if (!closed.signal.aborted) onProblem(error)
    })
  tidyUp()
  const timer = setInterval(tidyUp, TIDY_MS)
  timer.unref()
  return {
    keys,
    collections,
    unknownSource: (names) => unknownSource(db, names),
    ledger,
    billing,
    callLog,
    feedback,
    rates: new RateCounter(),
    stored: () =>
      new Map([
        ["calls", callLog.stored.all().bytes],
        ["feedback", feedback.stored.all().bytes],
        ["keys", keys.stored.all().bytes],
      ]),
    hashHuman,
    writes,
    [Symbol.dispose]() {
      closed.abort()
      clearInterval(timer)
      billing[Symbol.dispose]()
    },
  }
}
