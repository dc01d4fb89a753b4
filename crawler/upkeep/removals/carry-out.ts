import { isUnfoundSince } from "../../crawl/frontier/source-pages.ts"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type Engine, type Page, type PageUrl, sourcesOf, withSources } from "#engine"
import { Serial } from "#base/flow/serial.ts"
import type { Clock } from "#base/clock.ts"
import { Observations } from "../../fetch/observe/observations.ts"
import { ImageNotes } from "../images/image-notes.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { ReaderRules } from "../../sources/readers/reader-rules.ts"
import { identityOf, SharedPages, withReadersOf } from "../../sources/shared-pages.ts"
import { RemovedCopies } from "./removed-copies.ts"
import { ACQUITTED, Removals } from "./removals.ts"
import type { RemovalTables } from "./removal-schema.ts"

export interface CarryOutOptions {
  readonly db: StateStore
  readonly engine: Engine
  readonly clock?: Clock
  /** Shared by everything that writes to the index. Default: this is the only writer. */
  readonly writes?: Serial
}

/** Number of pages held in memory at a time. */
const BATCH = 50
const DAY_MS = 24 * 3_600_000

/**
 * Removes approved pages from the index, and puts back those to be restored. The caller has the index open for writing.
 * A copy is stored before a page is removed, and the state is updated only after the engine, so wherever a process was
 * killed, the next call has the same result. Expired copies are deleted.
 */
export async function carryOutRemovals(options: CarryOutOptions): Promise<void> {
  const { db, writes = new Serial() } = options
  const removals = new Removals(db, options.clock)
  while (await writes.run(() => removeSome(options)));
  while (await writes.run(() => restoreSome(options)));
  await removals.purge()
}

async function removeSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  const q = queriesOf<RemovalTables>(db)
  const known = new KnownAddresses(db, clock)
  // Pages that came back after they were judged aren't removed, and pages that left the index in other ways are
  // skipped.
  await q
    .deleteFrom("removal")
    .where("state", "=", "approved")
    .where((eb) =>
      eb.not(isUnfoundSince(eb.ref("removal.url"), eb.ref("removal.source"), eb.ref("removal.job"))),
    )
    .execute()
  const approved = await q
    .selectFrom("removal")
    .select(["url", "source", "job", "reason", "keep_days as keepDays"])
    .where("state", "=", "approved")
    .orderBy("url")
    .orderBy("source")
    .limit(BATCH)
    .execute()
  const batch = await Promise.all(
    approved.map(async (one) => ({ ...one, hash: await known.hashOf(one.url, one.source) })),
  )
  if (batch.length === 0) return false
  const copies = await Promise.all(batch.map(({ url }) => engine.get(url)))
  await transaction(db, async () => {
    const kept = new RemovedCopies(db)
    for (const [i, { url, source }] of batch.entries()) {
      const page = copies[i]
      if (page) await kept.keep(url, source, withSources(page, [source]))
    }
  })
  const left: PageUrl[] = []
  for (const [source, pages] of Map.groupBy(batch, (one) => one.source)) {
    const shared = new SharedPages(db, engine, { name: source, ...(await identityOf(db, source)) }, clock)
    // A page excluded by a source's own rules can still belong to another source.
    const going = pages.map(({ url, reason }) => ({ url, isGone: reason !== "out-of-scope" }))
    left.push(...(await shared.letGo(going)))
    await new Observations(db, { name: source }).forget(pages.map(({ url }) => url))
  }
  const now = clock()
  await transaction(db, async () => {
    for (const { url, source, job, keepDays, hash } of batch) {
      await q
        .updateTable("removal")
        .set({ state: "removed", at: now, expires_at: now + keepDays * DAY_MS, hash })
        .where((eb) => eb.and({ url, source }))
        .execute()
      await known.setHash(url, source, null)
      await q
        .insertInto("removal_run")
        .values({ job, removed: 1, held: 0 })
        .onConflict((conflict) =>
          conflict.column("job").doUpdateSet((eb) => ({ removed: eb("removal_run.removed", "+", 1) })),
        )
        .execute()
    }
  })
  await new ImageNotes(db).forget(left)
  await nextTurn()
  return true
}

async function restoreSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  const q = queriesOf<RemovalTables>(db)
  const known = new KnownAddresses(db, clock)
  const restoring = await q
    .selectFrom("removal")
    .select(["url", "source", "hash"])
    .where("state", "=", "restoring")
    .orderBy("url")
    .orderBy("source")
    .limit(BATCH)
    .execute()
  const batch = await Promise.all(
    restoring.map(async (one) => ({ ...one, isHeld: (await known.hashOf(one.url, one.source)) !== null })),
  )
  if (batch.length === 0) return false
  const pages = new Map<PageUrl, Page>()
  const hashes: [PageUrl, source: string, hash: string][] = []
  const copies = new RemovedCopies(db)
  for (const { url, source, hash, isHeld } of batch) {
    // A page that came back without being restored is newer than its copy.
    const copy = isHeld ? null : await copies.get(url, source)
    if (copy === null) continue
    const held = pages.get(url) ?? (await engine.get(url))
    const shared = new SharedPages(db, engine, { name: source, ...(await identityOf(db, source)) }, clock)
    // The index might contain the page as another source read it; if the two sources can't share it, the next visit
    // restores the page.
    if (held && !(await shared.mayShare(held))) continue
    // If other sources have the page, their version is newer than the copy.
    pages.set(
      url,
      held ? withSources(withReadersOf(held, copy), [held.source, ...sourcesOf(held), source]) : copy,
    )
    hashes.push([url, source, String(hash)])
  }
  await new ReaderRules(db).register([...pages.values()])
  if (pages.size > 0) await engine.index([...pages.values()])
  await transaction(db, async () => {
    for (const { url, source } of batch)
      await q
        .updateTable("removal")
        .set({ ...ACQUITTED, expires_at: null, at: clock() })
        .where((eb) => eb.and({ url, source }))
        .execute()
    for (const [url, source, hash] of hashes) await known.setHash(url, source, hash)
    for (const { url, source } of batch) await copies.drop(url, source)
  })
  await new ImageNotes(db).note([...pages.values()])
  return true
}
