import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { Listings } from "../../crawl/frontier/known-listings.ts"
import { Serial } from "#base/flow/serial.ts"
import type { Engine } from "#engine"
import { TextStore } from "../../crawl/duplicates/text-store.ts"
import { UnrecordedPages } from "../../sources/unrecorded-pages.ts"
import { Observations } from "../../fetch/observe/observations.ts"
import { ImageNotes } from "../images/image-notes.ts"
import { SharedPages } from "../../sources/shared-pages.ts"
import { Removals } from "./removals.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import type { SourceTable } from "../../sources/source-table.ts"

const BATCH = 500

export interface RemovePagesOptions {
  readonly db: StateStore
  readonly engine: Engine
  readonly sources: SourceTable
  /** Sources that are being crawled: their pages are kept for now. */
  readonly except?: ReadonlySet<string>
  /** As in {@link carryOutRemovals}. */
  readonly writes?: Serial
  /** Ends the work after the current pages; the next call continues. */
  readonly signal: AbortSignal
}

/**
 * Removes the pages whose removal was requested by {@link SourceTable.delete} and {@link SourceTable.removePages}, and
 * deletes everything stored about their addresses, including kept copies. Pages that also belong to other sources are
 * kept for those sources. The caller has the index open for writing.
 * @returns the number of pages removed from the index.
 */
export async function removeAskedPages(options: RemovePagesOptions): Promise<number> {
  const { db, engine, sources, except, signal, writes = new Serial() } = options
  const known = new KnownAddresses(db)
  let removed = 0
  for (const name of await sources.removals()) {
    if (except?.has(name)) continue
    const texts = new TextStore(db, name)
    const shared = new SharedPages(db, engine, { name, login: null })
    const unrecorded = new UnrecordedPages(db, name)
    await new ImageNotes(db).forget(await writes.run(() => unrecorded.settle(shared)))
    for (let rows = await known.some(name, BATCH); rows.length > 0; rows = await known.some(name, BATCH)) {
      if (signal.aborted) return removed
      const urls = rows.map(({ url }) => url)
      const left = await writes.run(() => shared.letGo(urls.map((url) => ({ url, isGone: false }))))
      await new ImageNotes(db).forget(left)
      for (const url of urls) {
        await texts.forget(url)
        await texts.clearAlias(url)
      }
      await texts.flush()
      await new Observations(db, { name }).forget(urls)
      await transaction(db, async () => {
        for (const url of urls) await known.forget(url, name)
      })
      const gone = new Set(left)
      removed += rows.filter(({ url, hash }) => hash !== null && gone.has(url)).length
    }
    await new Listings(db, name).forgetAll()
    // Otherwise copies of previously removed pages would bring them back.
    await new Removals(db).purge()
    await sources.removed(name)
  }
  return removed
}
