import { matchPages } from "../../crawl/frontier/source-pages.ts"
import { CrawlerProcesses } from "../../jobs/crawler-processes.ts"
import { type Page, sourcesOf } from "#engine"
import { ImageStore } from "../images/image-store.ts"
import { pageHash } from "../../page/page-hash.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { replaceSql, type StateStatement } from "#base/store/state-port.ts"
import { trustClock } from "#base/store/clock/trusted-time.ts"
import { BackupTable } from "./scheduled/backup-table.ts"
import { WebhookQueue } from "../../reporting/webhooks/webhook-queue.ts"

/** What a restore had to bring in line. */
export interface Mended {
  /** Addresses of which the state and the index did not say the same; they are visited again. */
  readonly addresses: number
  /** Images whose thumbnail is not in the backup; they are looked at again. */
  readonly images: number
  /** Jobs that ran when the backup was made; they go on. */
  readonly jobs: number
}

/**
 * Brings a restored state in line with the index and the thumbnails that came with it. They were copied after it,
 * while crawls went on, so that:
 * - an address may be known as a page that the index lost meanwhile: a site that answers "not modified", or a duplicate of it, would
 *   leave it missing; or with the hash of an older page; or as none while the index has it. The index is right;
 * - an image may be known by a thumbnail that was swept;
 * - jobs and processes are marked as running that run no more.
 *
 * @throws Error when the state is of a newer Fossick
 */
export class StateMender {
  readonly #db: StateStore
  readonly #images: ImageStore
  readonly #webhooks: WebhookQueue
  readonly #page: StateStatement
  readonly #image: StateStatement

  private constructor(db: StateStore, dataDir: string) {
    this.#db = db
    this.#images = new ImageStore(db, dataDir)
    this.#webhooks = new WebhookQueue(db)
    this.#page = db.prepare(replaceSql("held_page", ["url", "source", "hash"], ["url", "source"]))
    this.#image = db.prepare("insert or ignore into held_image values (?)")
  }

  /** @param dataDir where the thumbnails are to be */
  static async open(db: StateStore, dataDir: string): Promise<StateMender> {
    const mender = new StateMender(db, dataDir)
    await new BackupTable(db).forgetUnfinished()
    await db.exec(`
      create temp table held_page (
        url text not null, source text not null, hash text not null, primary key (url, source)
      ) strict, without rowid;
      create temp table held_image (id integer primary key) strict;`)
    return mender
  }

  /** Takes note of a page of the index. */
  async holds(page: Page): Promise<void> {
    for (const source of sourcesOf(page))
      await this.#page.run(page.url, source, pageHash({ ...page, source }))
  }

  /** Whether a thumbnail is wanted; if so it is taken to be there. */
  async wantsThumbnail(id: number): Promise<boolean> {
    const isKnown = await this.#images.isRead(id)
    if (isKnown) await this.#image.run(id)
    return isKnown
  }

  /** Call it when all pages and thumbnails were noted. */
  async mend(): Promise<Mended> {
    const mended = await transaction(this.#db, async () => {
      // Receivers of webhooks are told what crawls find, and not that a copy was a minute behind.
      const addresses = await this.#webhooks.untold(() => matchPages(this.#db, "held_page"))
      const images = await this.#images.lookAgain("held_image")
      const jobs = await new CrawlerProcesses(this.#db).forgetAll()
      // A copy of long ago says nothing of the clock of today.
      await trustClock(this.#db)
      return { addresses, images, jobs }
    })
    await this.#db.exec("drop table held_page; drop table held_image")
    return mended
  }
}
