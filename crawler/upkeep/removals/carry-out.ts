import { isUnfoundSinceSql } from "../../crawl/frontier/source-pages.ts"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type Engine, type Page, type PageUrl, sourcesOf, withSources } from "#engine"
import { Serial } from "#base/flow/serial.ts"
import type { Clock } from "#base/clock.ts"
import { ImageNotes } from "../images/image-notes.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { identityOf, SharedPages } from "../../sources/shared-pages.ts"
import { type RemovalReason } from "./evidence.ts"
import { RemovedCopies } from "./removed-copies.ts"
import { Removals } from "./removals.ts"

export interface CarryOutOptions {
  readonly db: StateStore
  readonly engine: Engine
  readonly clock?: Clock
  /** Of all that write to the index. Default: nobody else does. */
  readonly writes?: Serial
}

/** Pages that are held in memory at a time. */
const BATCH = 50
const DAY_MS = 24 * 3_600_000

/**
 * Takes approved pages out of the index, and puts back those that are to be restored. The caller holds the index
 * for writing. A copy is kept before a page goes, and the state says so only after the engine does: wherever a lost
 * process left off, the next call ends the same. Copies whose time is over are dropped.
 */
export async function carryOutRemovals(options: CarryOutOptions): Promise<void> {
  const { db, writes = new Serial() } = options
  const removals = new Removals(db, options.clock)
  while (await writes.run(() => removeSome(options)));
  while (await writes.run(() => restoreSome(options)));
  await removals.purge()
}

interface Approved {
  readonly url: PageUrl
  readonly source: string
  readonly reason: RemovalReason
  readonly job: number
  readonly keepDays: number
  readonly hash: string | null
}

async function removeSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  const known = new KnownAddresses(db, clock)
  // A page that came back after it was judged stays, and so does what the index holds no more by other ways.
  await db
    .prepare(
      `delete from removal where state = 'approved'
       and not ${isUnfoundSinceSql("removal.url", "removal.source", "removal.job")}`,
    )
    .run()
  const rows = await db
    .prepare(
      `select url, source, job, reason, keep_days from removal
       where state = 'approved' order by url, source limit ${BATCH}`,
    )
    .all()
  const batch = await Promise.all(
    rows.map(async (row): Promise<Approved> => ({
      url: row["url"] as PageUrl,
      source: String(row["source"]),
      reason: row["reason"] as RemovalReason,
      job: Number(row["job"]),
      keepDays: Number(row["keep_days"]),
      hash: await known.hashOf(row["url"] as PageUrl, String(row["source"])),
    })),
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
    // What a source leaves out by its own rules may be another's all the same.
    const going = pages.map(({ url, reason }) => ({ url, isGone: reason !== "out-of-scope" }))
    left.push(...(await shared.letGo(going)))
  }
  const now = clock()
  await transaction(db, async () => {
    const removed = db.prepare(
      "update removal set state = 'removed', at = ?, expires_at = ?, hash = ? where url = ? and source = ?",
    )
    const count = db.prepare(
      "insert into removal_run values (?, 1, 0) on conflict (job) do update set removed = removed + 1",
    )
    for (const { url, source, job, keepDays, hash } of batch) {
      await removed.run(now, now + keepDays * DAY_MS, hash, url, source)
      await known.setHash(url, source, null)
      await count.run(job)
    }
  })
  await new ImageNotes(db).forget(left)
  await nextTurn()
  return true
}

async function restoreSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  const known = new KnownAddresses(db, clock)
  const rows = await db
    .prepare(
      `select url, source, hash from removal where state = 'restoring' order by url, source limit ${BATCH}`,
    )
    .all()
  const batch = await Promise.all(
    rows.map(async (row) => ({
      url: row["url"] as PageUrl,
      source: String(row["source"]),
      hash: row["hash"] as string | null,
      isHeld: (await known.hashOf(row["url"] as PageUrl, String(row["source"]))) !== null,
    })),
  )
  if (batch.length === 0) return false
  const pages = new Map<PageUrl, Page>()
  const hashes: [PageUrl, source: string, hash: string][] = []
  const copies = new RemovedCopies(db)
  for (const { url, source, hash, isHeld } of batch) {
    // A page that is back by itself is newer than its copy.
    const copy = isHeld ? null : await copies.get(url, source)
    if (copy === null) continue
    const held = pages.get(url) ?? (await engine.get(url))
    const shared = new SharedPages(db, engine, { name: source, ...(await identityOf(db, source)) }, clock)
    // It may stand there as another source reads it: its next visit brings it back.
    if (held && !(await shared.mayShare(held))) continue
    // What others hold is newer than the copy.
    pages.set(url, held ? withSources(held, [held.source, ...sourcesOf(held), source]) : copy)
    hashes.push([url, source, String(hash)])
  }
  if (pages.size > 0) await engine.index([...pages.values()])
  await transaction(db, async () => {
    const pin = db.prepare(
      `update removal set state = 'struck', strikes = 0, due = 0, pinned = 1, expires_at = null, at = ?
       where url = ? and source = ?`,
    )
    for (const { url, source } of batch) await pin.run(clock(), url, source)
    for (const [url, source, hash] of hashes) await known.setHash(url, source, hash)
    for (const { url, source } of batch) await copies.drop(url, source)
  })
  await new ImageNotes(db).note([...pages.values()])
  return true
}
