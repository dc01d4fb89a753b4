import { matchPages } from "../../crawl/frontier/source-pages.ts"
import { CrawlerProcesses } from "../../jobs/crawler-processes.ts"
import { type Page, type PageUrl, sourcesOf } from "#engine"
import { ImageStore } from "../images/image-store.ts"
import { pageHash } from "../../page/page-hash.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { once } from "#base/store/query/once.ts"
import type { Queries } from "#base/store/query/queries.ts"
import { SCHEMA_WORDS } from "#base/store/query/schema-words.ts"
import { trustClock } from "#base/store/clock/trusted-time.ts"
import { ReaderRules } from "../../sources/readers/reader-rules.ts"
import { BackupTable } from "./scheduled/backup-table.ts"
import { WebhookQueue } from "../../reporting/webhooks/webhook-queue.ts"

/** What a restore had to repair. */
export interface Mended {
  /** Addresses about which the state and the index disagreed; they are visited again. */
  readonly addresses: number
  /** Images whose thumbnail is not in the backup; they are examined again. */
  readonly images: number
  /** Jobs that were running when the backup was made; they continue. */
  readonly jobs: number
}

interface HeldTables {
  held_page: { url: PageUrl; source: string; hash: string }
  held_image: { id: number }
}

const holdPage = once((q: Queries<HeldTables>, { url, source, hash }: HeldTables["held_page"]) =>
  q
    .insertInto("held_page")
    .values({ url, source, hash })
    .onConflict((conflict) => conflict.columns(["url", "source"]).doUpdateSet({ hash })),
)
const holdImage = once((q: Queries<HeldTables>, { id }: HeldTables["held_image"]) =>
  q
    .insertInto("held_image")
    .values({ id })
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Brings a restored state in line with the index and the thumbnails that came with it. They were copied after the
 * state, while crawls continued, so:
 * - an address may be recorded as a page that the index has since lost, and that would stay missing if the site
 * responded with "not modified" or with a duplicate of it; or it may be recorded with the hash of an older page, or as
 * not indexed although the index has it. In each case, the index is right;
 * - the readers of a page may have been registered since;
 * - an image may be recorded with a thumbnail that was deleted;
 * - jobs and processes may be marked as running although they no longer are.
 *
 * @throws Error when the state is from a newer Fossick
 */
export class StateMender {
  readonly #db: StateStore
  readonly #images: ImageStore
  readonly #webhooks: WebhookQueue
  readonly #rules: ReaderRules

  private constructor(db: StateStore, dataDir: string) {
    this.#db = db
    this.#images = new ImageStore(db, dataDir)
    this.#webhooks = new WebhookQueue(db)
    this.#rules = new ReaderRules(db)
  }

  /** @param dataDir where the thumbnails will be */
  static async open(db: StateStore, dataDir: string): Promise<StateMender> {
    const mender = new StateMender(db, dataDir)
    await new BackupTable(db).forgetUnfinished()
    const { id, text, strict, keyed } = SCHEMA_WORDS[db.dialect]
    await db.script(`
      create temp table held_page (
        url ${text} not null, source ${text} not null, hash ${text} not null, primary key (url, source)
      ) ${keyed};
      create temp table held_image (id ${id}) ${strict};`)
    return mender
  }

  /** Records a page that is in the index. */
  async holds(page: Page): Promise<void> {
    await this.#rules.register([page])
    for (const source of sourcesOf(page))
      await holdPage.run(this.#db, { url: page.url, source, hash: pageHash({ ...page, source }) })
  }

  /** Whether a thumbnail is wanted; if so, it is assumed to exist from now on. */
  async wantsThumbnail(id: number): Promise<boolean> {
    const isKnown = await this.#images.isRead(id)
    if (isKnown) await holdImage.run(this.#db, { id })
    return isKnown
  }

  /** Call this once all pages and thumbnails have been recorded. */
  async mend(): Promise<Mended> {
    const mended = await transaction(this.#db, async () => {
      // Webhook receivers are told about changes that crawls find, not about a copy that was a minute behind.
      const addresses = await this.#webhooks.untold(() => matchPages(this.#db, "held_page"))
      const images = await this.#images.lookAgain("held_image")
      const jobs = await new CrawlerProcesses(this.#db).forgetAll()
      // The times in an old copy say nothing about today's clock.
      await trustClock(this.#db)
      return { addresses, images, jobs }
    })
    await this.#db.script("drop table held_page; drop table held_image")
    return mended
  }
}
