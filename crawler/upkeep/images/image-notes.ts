import type { Insertable, Selectable } from "kysely"
import type { Page, PageImage, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { once } from "#base/store/query/once.ts"
import type { Queries } from "#base/store/query/queries.ts"
import { lesser } from "#base/store/query/words.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { isJunkAddress } from "./image-address.ts"
import { type ImageTables, migrateImages, UNREAD } from "./image-schema.ts"

/** Only a page's first images are used: later ones belong to a gallery or a list of teasers. */
export const IMAGES_PER_PAGE = 20
const ALT_CHARS = 500
/** Prefix of the detail of an image that the address guard refused. */
export const REFUSED = "blocked-address: "
/** The image at an address can change: after this time, it is examined again when its page is visited. */
const LOOK_AGAIN_MS = 30 * 86_400_000

type Images = Queries<ImageTables>
type Used = Pick<Insertable<ImageTables["image"]>, "url" | "host" | "rank"> & { alt: string | null }
interface CountKey {
  readonly image: number
  readonly by: string
}

const noted = once((q: Images, { url }: { url: PageUrl }) =>
  q.selectFrom("page_images").select(["images", "source"]).where("url", "=", url),
)
const note = once((q: Images, { url, site, images, source }: Selectable<ImageTables["page_images"]>) =>
  q.insertInto("page_images").values({ url, site, images, source }),
)
const drop = once((q: Images, { url }: { url: PageUrl }) =>
  q.deleteFrom("page_images").where("url", "=", url).returning(["site", "images", "source"]),
)
const lookAgain = once((q: Images, { url, old, now }: { url: string; old: number; now: number }) =>
  q
    .updateTable("image")
    .set(UNREAD)
    .where("url", "=", url)
    .where("state", "is not", null)
    .where((eb) => eb.or([eb("looked_at", "<", old), eb("looked_at", ">", now)])),
)
const lookAgainIfRefused = once((q: Images, { id }: { id: number }) =>
  q
    .updateTable("image")
    .set(UNREAD)
    .where((eb) => eb.and({ id, state: "unreadable" }))
    .where("detail", "like", `${REFUSED}%`),
)
const use = once((q: Images, { url, host, alt, rank }: Used) =>
  q
    .insertInto("image")
    .values({ url, host, alt, own: 0, rank, uses: 1 })
    .onConflict((conflict) =>
      conflict.column("url").doUpdateSet((eb) => ({
        uses: eb("image.uses", "+", 1),
        alt: eb.fn.coalesce("image.alt", "excluded.alt"),
        rank: lesser(eb.ref("image.rank"), eb.ref("excluded.rank")),
      })),
    )
    .returning("id"),
)
const unuse = once((q: Images, { url }: { url: string }) =>
  q
    .updateTable("image")
    .set((eb) => ({ uses: eb("uses", "-", 1) }))
    .where("url", "=", url)
    .returning("id"),
)

const countOfSite = once((q: Images, { site }: { site: string }) =>
  q
    .insertInto("image_site")
    .values({ site, pages: 1 })
    .onConflict((conflict) =>
      conflict.column("site").doUpdateSet((eb) => ({ pages: eb("image_site.pages", "+", 1) })),
    ),
)
const uncountOfSite = once((q: Images, { site }: { site: string }) =>
  q
    .updateTable("image_site")
    .set((eb) => ({ pages: eb("pages", "-", 1) }))
    .where("site", "=", site),
)
const dropSite = once((q: Images, { site }: { site: string }) =>
  q.deleteFrom("image_site").where("site", "=", site).where("pages", "<=", 0),
)

/** The number of pages that contain an image, by another column of the key. */
const countedBy = (table: "image_use", column: "site") => ({
  more: once((q: Images, { image, by }: CountKey) =>
    q
      .insertInto(table)
      .values({ image, [column]: by, pages: 1 })
      .onConflict((conflict) =>
        conflict.columns(["image", column]).doUpdateSet((eb) => ({ pages: eb(`${table}.pages`, "+", 1) })),
      )
      .returning("pages"),
  ),
  less: once((q: Images, { image, by }: CountKey) =>
    q
      .updateTable(table)
      .set((eb) => ({ pages: eb("pages", "-", 1) }))
      .where((eb) => eb.and({ image, [column]: by })),
  ),
  drop: once((q: Images, { image, by }: CountKey) =>
    q
      .deleteFrom(table)
      .where((eb) => eb.and({ image, [column]: by }))
      .where("pages", "<=", 0),
  ),
})
const onSite = countedBy("image_use", "site")
const ofSource = countedBy("image_source" as "image_use", "source" as "site")

/** Records which images are on indexed pages, as the crawl reports them. */
export class ImageNotes {
  readonly #db: StateStore
  readonly #clock: Clock

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
    migrateImages(db)
  }

  /** Records which images are on the pages now, including pages without images. */
  async note(pages: readonly Pick<Page, "url" | "images" | "source">[]): Promise<void> {
    const now = this.#clock()
    const old = now - LOOK_AGAIN_MS
    const changed: { url: PageUrl; images: readonly PageImage[]; json: string; source: string }[] = []
    for (const { url, images, source } of pages) {
      const kept = images.filter((image) => !isJunkAddress(image.url)).slice(0, IMAGES_PER_PAGE)
      for (const image of kept) await lookAgain.run(this.#db, { url: image.url, old, now })
      const was = await noted.get(this.#db, { url })
      const json = JSON.stringify(kept)
      if (was?.images !== json || was.source !== source) changed.push({ url, images: kept, json, source })
    }
    if (changed.length === 0) return
    await transaction(this.#db, async () => {
      for (const { url, images, json, source } of changed) {
        const { host: site } = new URL(url)
        await this.#drop(url)
        await note.run(this.#db, { url, site, images: json, source })
        await countOfSite.run(this.#db, { site })
        for (const [rank, image] of images.entries()) await this.#use(image, site, source, rank)
      }
    })
  }

  /** Deletes the records of pages that no longer exist; `ImageStore.sweep` then deletes images that are no longer on any page. */
  async forget(pages: readonly PageUrl[]): Promise<void> {
    if (pages.length === 0) return
    await transaction(this.#db, async () => {
      for (const url of pages) await this.#drop(url)
    })
  }

  async #use({ url, description }: PageImage, site: string, source: string, rank: number): Promise<void> {
    const { host } = new URL(url)
    const alt = description?.slice(0, ALT_CHARS) ?? null
    const { id: image } = (await use.get(this.#db, { url, host, alt, rank }))!
    await onSite.more.run(this.#db, { image, by: site })
    const carried = await ofSource.more.get(this.#db, { image, by: source })
    // This source might be allowed to fetch an image that earlier sources couldn't.
    if (carried?.pages === 1) await lookAgainIfRefused.run(this.#db, { id: image })
  }

  async #drop(page: PageUrl): Promise<void> {
    const row = await drop.get(this.#db, { url: page })
    if (!row) return
    const { site, source } = row
    await uncountOfSite.run(this.#db, { site })
    await dropSite.run(this.#db, { site })
    for (const { url } of JSON.parse(row.images) as PageImage[]) {
      const used = await unuse.get(this.#db, { url })
      if (used === undefined) continue
      const counts = [
        [onSite, site],
        [ofSource, source],
      ] as const
      for (const [pages, by] of counts) {
        await pages.less.run(this.#db, { image: used.id, by })
        await pages.drop.run(this.#db, { image: used.id, by })
      }
    }
  }
}
