import { setImmediate as nextTurn } from "node:timers/promises"
import type { Engine, Page, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { ImageNotes } from "../images/image-notes.ts"
import { KnownAddresses } from "../frontier/known-addresses.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { SEEN_WELL } from "./evidence.ts"
import { packPage, unpackPage } from "./kept-page.ts"
import { Removals } from "./removals.ts"

export interface CarryOutOptions {
  readonly db: StateStore
  readonly engine: Engine
  readonly clock?: Clock
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
  const { db } = options
  const removals = new Removals(db, options.clock)
  while (await removeSome(options));
  while (await restoreSome(options));
  removals.purge()
}

interface Approved {
  readonly url: PageUrl
  readonly job: number
  readonly keepDays: number
  readonly hash: string | null
}

async function removeSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  // A page that came back after it was judged stays, and so does what the index holds no more by other ways.
  db.prepare(
    `delete from removal where state = 'approved' and not exists
       (select 1 from known_address as known where known.url = removal.url and known.hash is not null
          and (known.outcome not in (${SEEN_WELL}) or known.job <= removal.job))`,
  ).run()
  const batch = db
    .prepare(
      `select removal.url, removal.job, keep_days, known.hash from removal join known_address as known using (url)
       where state = 'approved' order by url limit ${BATCH}`,
    )
    .all()
    .map((row): Approved => ({
      url: row["url"] as PageUrl,
      job: Number(row["job"]),
      keepDays: Number(row["keep_days"]),
      hash: row["hash"] as string | null,
    }))
  if (batch.length === 0) return false
  const copies = await Promise.all(batch.map(({ url }) => engine.get(url)))
  const packed = copies.flatMap((page) => (page ? [{ url: page.url, bytes: packPage(page) }] : []))
  transaction(db, () => {
    const keep = db.prepare("insert or replace into removed_page values (?, ?)")
    for (const { url, bytes } of packed) keep.run(url, bytes)
  })
  const urls = batch.map(({ url }) => url)
  await engine.remove(urls)
  const now = clock()
  const known = new KnownAddresses(db, clock)
  transaction(db, () => {
    const removed = db.prepare(
      "update removal set state = 'removed', at = ?, expires_at = ?, hash = ? where url = ?",
    )
    const count = db.prepare(
      "insert into removal_run values (?, 1, 0) on conflict (job) do update set removed = removed + 1",
    )
    for (const { url, job, keepDays, hash } of batch) {
      removed.run(now, now + keepDays * DAY_MS, hash, url)
      known.setHash(url, null)
      count.run(job)
    }
  })
  new ImageNotes(db).forget(urls)
  await nextTurn()
  return true
}

async function restoreSome({ db, engine, clock = Date.now }: CarryOutOptions): Promise<boolean> {
  const batch = db
    .prepare(
      `select removal.url, removal.hash, page, known.hash as held from removal
       left join removed_page using (url) left join known_address as known using (url)
       where state = 'restoring' order by url limit ${BATCH}`,
    )
    .all()
  if (batch.length === 0) return false
  const pages: Page[] = []
  const hashes = new Map<PageUrl, string>()
  for (const row of batch) {
    // A page that is back by itself is newer than its copy.
    if (row["held"] !== null || row["page"] === null) continue
    const page = unpackPage(row["page"] as Uint8Array)
    pages.push(page)
    hashes.set(page.url, String(row["hash"]))
  }
  if (pages.length > 0) await engine.index(pages)
  const known = new KnownAddresses(db, clock)
  transaction(db, () => {
    const pin = db.prepare(
      `update removal set state = 'struck', strikes = 0, due = 0, pinned = 1, expires_at = null, at = ? where url = ?`,
    )
    for (const { url } of batch) pin.run(clock(), String(url))
    for (const [url, hash] of hashes) known.setHash(url, hash)
    const drop = db.prepare("delete from removed_page where url = ?")
    for (const { url } of batch) drop.run(String(url))
  })
  new ImageNotes(db).note(pages)
  return true
}
