import type { Page, PageImage, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { isJunkAddress } from "./image-address.ts"
import { migrateImages } from "./image-schema.ts"

/** The first images of a page count: what comes later is a gallery or a list of teasers. */
export const IMAGES_PER_PAGE = 20
const ALT_CHARS = 500
/** How the detail of an image begins that the address guard refused. */
export const REFUSED = "blocked-address: "
/** An image may change at its address: it is looked at again with a visit to its page after this. */
const LOOK_AGAIN_MS = 30 * 86_400_000

/** Which images indexed pages carry, as the crawl notes it down. */
export class ImageNotes {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#clock = clock
    migrateImages(db)
  }

  /** Takes down which images pages carry now; pages with none count too. */
  async note(pages: readonly Pick<Page, "url" | "images" | "source">[]): Promise<void> {
    const noted = this.#prepare("select images, source from page_images where url = ?")
    const now = this.#clock()
    const old = now - LOOK_AGAIN_MS
    const again = this.#prepare(
      "update image set state = null, tries = 0, due = 0 where url = ? and state is not null and (looked_at < ? or looked_at > ?)",
    )
    const changed: { url: PageUrl; images: readonly PageImage[]; json: string; source: string }[] = []
    for (const { url, images, source } of pages) {
      const kept = images.filter((image) => !isJunkAddress(image.url)).slice(0, IMAGES_PER_PAGE)
      for (const image of kept) await again.run(image.url, old, now)
      const was = await noted.get(url)
      const json = JSON.stringify(kept)
      if (was?.["images"] !== json || was["source"] !== source)
        changed.push({ url, images: kept, json, source })
    }
    if (changed.length === 0) return
    await transaction(this.#db, async () => {
      for (const { url, images, json, source } of changed) {
        const { host: site } = new URL(url)
        await this.#drop(url)
        await this.#prepare("insert into page_images (url, site, images, source) values (?, ?, ?, ?)").run(
          url,
          site,
          json,
          source,
        )
        await this.#prepare(
          "insert into image_site values (?, 1) on conflict (site) do update set pages = pages + 1",
        ).run(site)
        for (const [rank, image] of images.entries()) await this.#use(image, site, source, rank)
      }
    })
  }

  /** Pages that are no more; images that no page carries then go with `ImageStore.sweep`. */
  async forget(pages: readonly PageUrl[]): Promise<void> {
    if (pages.length === 0) return
    await transaction(this.#db, async () => {
      for (const url of pages) await this.#drop(url)
    })
  }

  async #use({ url, description }: PageImage, site: string, source: string, rank: number): Promise<void> {
    const { host } = new URL(url)
    const alt = description?.slice(0, ALT_CHARS) ?? null
    const { id } = (await this.#prepare(
      `insert into image (url, host, alt, own, rank, uses) values (?, ?, ?, 0, ?, 1)
       on conflict (url) do update set uses = uses + 1, alt = coalesce(alt, excluded.alt),
         rank = min(rank, excluded.rank) returning id`,
    ).get(url, host, alt, rank)) as { id: number }
    await this.#prepare(
      "insert into image_use values (?, ?, 1) on conflict (image, site) do update set pages = pages + 1",
    ).run(id, site)
    const { changes } = await this.#prepare(
      "insert or ignore into image_source (image, source, pages) values (?, ?, 0)",
    ).run(id, source)
    await this.#prepare("update image_source set pages = pages + 1 where image = ? and source = ?").run(
      id,
      source,
    )
    // What the sources before were refused, this one may be allowed.
    if (Number(changes) > 0) {
      await this.#prepare(
        "update image set state = null, tries = 0, due = 0 where id = ? and state = 'unreadable' and detail like ?",
      ).run(id, `${REFUSED}%`)
    }
  }

  async #drop(page: PageUrl): Promise<void> {
    const row = await this.#prepare(
      "delete from page_images where url = ? returning site, images, source",
    ).get(page)
    if (!row) return
    const site = String(row["site"])
    const source = String(row["source"])
    await this.#prepare("update image_site set pages = pages - 1 where site = ?").run(site)
    await this.#prepare("delete from image_site where site = ? and pages <= 0").run(site)
    for (const { url } of JSON.parse(String(row["images"])) as PageImage[]) {
      const id = (
        await this.#prepare("update image set uses = uses - 1 where url = ? returning id").get(url)
      )?.["id"]
      if (id === undefined) continue
      await this.#prepare("update image_use set pages = pages - 1 where image = ? and site = ?").run(
        Number(id),
        site,
      )
      await this.#prepare("delete from image_use where image = ? and site = ? and pages <= 0").run(
        Number(id),
        site,
      )
      await this.#prepare("update image_source set pages = pages - 1 where image = ? and source = ?").run(
        Number(id),
        source,
      )
      await this.#prepare("delete from image_source where image = ? and source = ? and pages <= 0").run(
        Number(id),
        source,
      )
    }
  }
}
